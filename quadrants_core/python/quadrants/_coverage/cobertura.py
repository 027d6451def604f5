"""Cobertura XML, as GitLab, Jenkins and others read it: that of coverage.py, with the counts of kernels as hits, and with file names that
are relative to the root of the repository, whatever the sources and the working directory are."""

from xml.dom import minidom

from quadrants._coverage import changes as _changes


def write(path, measured, files):
    """Writes the report of a coverage.Coverage. `files`: name -> the File object of the same data."""
    measured.set_option("run:source", None)  # otherwise names are relative to the sources
    measured.xml_report(outfile=path, ignore_errors=True)
    top = _changes.root()
    with minidom.parse(path) as document:
        for one in document.getElementsByTagName("class"):
            name = one.getAttribute("filename")
            counts = files[name].counts if name in files else {}
            one.setAttribute("filename", _changes.below(top, name) or name)
            for line in one.getElementsByTagName("line"):
                if (count := counts.get(int(line.getAttribute("number")))) and line.getAttribute("hits") != "0":
                    line.setAttribute("hits", str(count))
        sources = document.getElementsByTagName("sources")[0]
        for child in list(sources.childNodes):
            sources.removeChild(child)
        source = document.createElement("source")
        source.appendChild(document.createTextNode(top))
        sources.appendChild(source)
        with open(path, "w", encoding="utf-8") as file:
            document.writexml(file, encoding="utf-8")
