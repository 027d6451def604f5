"""The representation of a field as the last line of a cell is in the same position as other outputs."""

from test_lab import THEMES

CELLS = ["import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\nx = qd.Vector.field(2, qd.f32, (3, 4))\n'text'", "x"]

# Left and top edge of the first letter of each result, and of its prompt.
PLACES = """() => [...document.querySelectorAll('.jp-OutputArea-executeResult')].map(area => {
    const first = node => {
        const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            if (!walker.currentNode.data.trim() || walker.currentNode.parentElement.closest('style')) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, 0);
            range.setEnd(walker.currentNode, 1);
            return range.getBoundingClientRect();
        }
    };
    const output = first(area.querySelector('.jp-OutputArea-output')), prompt = first(area.querySelector('.jp-OutputPrompt'));
    return [output.left, (output.top + output.bottom) / 2 - (prompt.top + prompt.bottom) / 2];
})"""


def test_a_value_is_aligned_with_text(lab):
    lab.put("values", CELLS).open("values")
    lab.run_all()
    lab.page.locator("b", has_text="Vector.field").wait_for()
    (left, beside), (of_value, of_its_prompt) = lab.page.evaluate(PLACES)
    assert abs(of_value - left) <= 1 and abs(of_its_prompt - beside) <= 1.5, (left, beside, of_value, of_its_prompt)
    for theme in THEMES:
        lab.theme(theme)
        lab.picture(f"values {theme}")
