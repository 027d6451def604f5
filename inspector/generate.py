"""Generates C++ structs for the interfaces in files of widgets/protocol, with functions that read and write them as JSON:

    python generate.py HEADER coverage.ts inspector.ts ...

Each file becomes a namespace. A missing member, or one of another type, is Garbled (model/json.h); an unknown one is
ignored. `null` becomes std::optional, a Record a std::map, an alias of string literals std::string."""

import re
import sys
from pathlib import Path

TOKEN = re.compile(r'"[^"]*"|\w+|\[\]|[{}<>|;:?,()\[\]=]')
PLAIN = {"number": "double", "string": "std::string", "boolean": "bool", "true": "bool", "false": "bool"}


class Reader:
    """Parses the types that the protocol uses, and rejects the rest."""

    def __init__(self, text, file):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
        self.file, self.tokens, self.at = file, TOKEN.findall(text), 0
        self.structs, self.aliases, self.imports = [], {}, {}

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise SystemExit(f"{self.file}: {wanted!r} is missing before {token!r}")
        self.at += 1
        return token

    def read(self):
        while self.peek():
            word = self.take()
            if word == "import":
                self.read_import()
            elif word == "interface":
                name, whole = self.take(), self.peek() == "{"
                while self.peek() != "{":
                    self.take()
                members = self.members(name)
                if whole:  # an interface that extends another is skipped; a use of it does not compile
                    self.structs.append((name, members))
            elif word == "type":
                name = self.take()
                self.take("=")
                if self.peek() in ("{", "|"):  # a union of objects: likewise
                    self.skip()
                    continue
                self.aliases[name] = self.type_of(name)
                self.take(";")
            elif word not in ("export", ";"):
                raise SystemExit(f"{self.file}: {word!r} is not understood")
        return self

    def skip(self):
        """Skips to the end of a declaration."""
        depth = 0
        while self.peek() != ";" or depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def read_import(self):
        self.take("type")
        self.take("{")
        names = []
        while self.peek() != "}":
            names += [] if self.peek() == "," else [self.peek()]
            self.take()
        self.take("}")
        self.take("from")
        file = self.take().strip('"').removeprefix("./")
        self.imports.update(dict.fromkeys(names, file))
        self.take(";")

    def members(self, owner):
        """Returns [(name, type, whether it may be missing)]."""
        self.take("{")
        found = []
        while self.peek() != "}":
            name = self.take()
            optional = self.peek() == "?" and bool(self.take())
            self.take(":")
            found.append((name, self.type_of(owner + name.title().replace("_", "")), optional))
            if self.peek() == ";":
                self.take()
        self.take("}")
        return found

    def type_of(self, called):
        kinds = [self.single(called)]
        while self.peek() == "|":
            self.take()
            kinds.append(self.single(called))
        rest = sorted({k for k in kinds if k != "null"})
        if len(rest) != 1:
            raise SystemExit(f"{self.file}: {called} may be any of {rest}")
        return f"std::optional<{rest[0]}>" if "null" in kinds else rest[0]

    def single(self, called):
        token = self.peek()
        if token == "{":
            members = self.members(called)
            self.structs.append((called, members))
            kind = called
        elif token == "(":
            self.take()
            kind = self.type_of(called)
            self.take(")")
        elif token == "[":
            kind = self.tuple(called)
        elif token in ("Partial", "Record"):
            kind = self.generic(called)
        else:
            self.take()
            kind = "std::string" if token.startswith('"') else "double" if token.isdigit() else PLAIN.get(token, token)
            if kind in self.aliases:
                kind = self.aliases[kind]
            elif kind in self.imports:
                kind = f"{namespace(self.imports[kind])}::{kind}"
        while self.peek() == "[]":
            self.take()
            kind = f"std::vector<{kind}>"
        return kind

    def tuple(self, called):
        self.take("[")
        kinds = [self.type_of(called)]
        while self.peek() == ",":
            self.take()
            kinds.append(self.type_of(called))
        self.take("]")
        return f"std::tuple<{', '.join(kinds)}>"

    def generic(self, called):
        name = self.take()
        self.take("<")
        if name == "Partial":
            kind = self.single(called)
        else:
            self.type_of(called)
            self.take(",")
            kind = f"std::map<std::string, {self.type_of(called)}>"
        self.take(">")
        return kind


def namespace(file):
    return Path(file).stem


def default(kind):
    return " = 0" if kind == "double" else " = false" if kind == "bool" else ""


def struct(name, members):
    lines = [f"struct {name} {{"]
    lines += [f"  {kind} {member}{default(kind)};" for member, kind, _ in members]
    lines += [f"  bool operator==(const {name} &) const = default;", "};"]
    lines += [f"inline void from_json(const Json &json, {name} &to) {{"]
    lines += [f'  {"read_if_there" if optional else "read"}(json, "{member}", to.{member});' for member, _, optional in members]
    lines += ["}", f"inline void to_json(Json &json, const {name} &from) {{", "  json = Json::object();"]
    lines += [f'  write(json, "{member}", from.{member});' for member, _, _ in members]
    return lines + ["}", ""]


HEAD = """// Written by inspector/generate.py while the project is built.
#pragma once
#include "model/json.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace qd::inspector::protocol {

template <class T> void read(const Json &json, const char *name, T &to) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (!json.is_object() || found == json.end()) throw Garbled(std::string(name) + " is missing");
  if constexpr (std::is_arithmetic_v<T> || IsList<T>::plain) {
    to = value_of<T>(*found, name);
    return;
  }
  try {
    found->get_to(to);
  } catch (const Json::exception &) {
    throw Garbled(std::string("what is called ") + name + " has the wrong type");
  }
}
template <class T> void read(const Json &json, const char *name, std::optional<T> &to) {
  T value{};
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (json.is_object() && found != json.end() && found->is_null()) return to.reset();
  read(json, name, value);
  to = std::move(value);
}
template <class T> void read(const Json &json, const char *name, std::vector<std::optional<T>> &to) {
  std::vector<Json> values;
  read(json, name, values);
  to.clear();
  for (const Json &value : values) {
    to.emplace_back();
    if (value.is_null()) continue;
    if constexpr (std::is_arithmetic_v<T>)
      if (!value.is_number()) throw Garbled(std::string("what is called ") + name + " has the wrong type");
    to.back() = value.get<T>();
  }
}
template <class T> void read_if_there(const Json &json, const char *name, T &to) {
  if (json.is_object() && json.contains(name)) read(json, name, to);
}
template <class T> void write(Json &json, const char *name, const T &from) { json[name] = from; }
template <class T> void write(Json &json, const char *name, const std::optional<T> &from) {
  if (from) json[name] = *from;
  else json[name] = nullptr;
}
template <class T> void write(Json &json, const char *name, const std::vector<std::optional<T>> &from) {
  json[name] = Json::array();
  for (const auto &one : from) json[name].push_back(one ? Json(*one) : Json());
}
"""


def main():
    header, *files = sys.argv[1:]
    readers = {Path(file).stem: Reader(Path(file).read_text(encoding="utf-8"), file).read() for file in files}
    for reader in readers.values():  # an imported alias is not a struct: use its type
        for name, file in reader.imports.items():
            other = readers.get(namespace(file))
            alias = other.aliases.get(name) if other else "std::string"
            if alias:
                renamed = f"{namespace(file)}::{name}"
                reader.structs = [(s, [(m, kind.replace(renamed, alias), o) for m, kind, o in members]) for s, members in reader.structs]
    out = [HEAD]
    for name, reader in readers.items():
        out += [f"namespace {name} {{", ""]
        for one in reader.structs:
            out += struct(*one)
        out += [f"}} // namespace {name}", ""]
    out += ["} // namespace qd::inspector::protocol", ""]
    Path(header).parent.mkdir(parents=True, exist_ok=True)
    Path(header).write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
