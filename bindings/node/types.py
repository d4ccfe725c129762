#!/usr/bin/env python3
"""Writes spoor/operations.d.ts: the members and the result of each operation of `spoor batch`, from
docs/schema/.

usage: types.py [--check]

--check: writes nothing, and fails if the file is not what it would write."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = HERE.parents[1] / "docs/schema"
OUT = HERE / "spoor/operations.d.ts"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
          "null": "null"}


def read(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())


def class_name(name):
    return "".join(word.capitalize() for word in name.split("_"))


def comment(schema, indent):
    return f"{indent}/** {schema['description']} */\n" if "description" in schema else ""


def type_of(schema, indent=""):
    """Returns a schema as a type. Its text goes on in lines that begin with `indent`."""
    if "$ref" in schema:
        return class_name(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(type_of(each, indent) for each in schema["anyOf"])
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema["items"], indent) if "items" in schema else "unknown"
        return f"({inner})[]" if " | " in inner and not inner.startswith("{") else f"{inner}[]"
    if kind == "object" and schema.get("properties"):
        return object_of(schema, indent)
    if kind == "object":
        return f"Record<string, {type_of(schema.get('additionalProperties', {}), indent)}>"
    return SIMPLE.get(kind, "unknown")


def object_of(schema, indent):
    inner = indent + "  "
    required = schema.get("required", [])
    lines = "".join(
        f"{comment(member, inner)}{inner}{name.replace('-', '_')}{'' if name in required else '?'}: {type_of(member, inner)};\n"
        for name, member in schema["properties"].items())
    return f"{{\n{lines}{indent}}}"


def members_of(operation):
    """Returns the type of the members. null stands for an absent one."""
    schema = operation["members"]
    if not schema["properties"]:
        return "Common"
    return f"Common & {object_of(schema, '    ')}"


def main():
    results = read("results")
    text = ("// Made by bindings/node/types.py from docs/schema/: the operations of `spoor batch`.\n\n"
            "/** Members that every operation takes. */\nexport interface Common {\n"
            "  /** A name for the commit of the result: later requests write `$name`. */\n"
            "  as?: string;\n  /** No more is kept of a write than that. */\n"
            "  capture?: 'full' | 'redacted' | 'hashed';\n}\n\n")
    for name, schema in results["$defs"].items():
        text += f"{comment(schema, '')}export type {class_name(name)} = {type_of(schema)};\n\n"
    text += "export interface Operations {\n"
    for name, operation in read("operations").items():
        result = results["properties"].get(name) or read(name)
        text += (f"  /** {operation['summary']} */\n  {name}: {{\n    members: {members_of(operation)};\n"
                 f"    result: {type_of(result, '    ')};\n  }};\n")
    text += "}\n"
    if sys.argv[1:] == ["--check"]:
        if OUT.read_text() != text:
            sys.exit(f"{OUT.name} is not what its schemas say: run bindings/node/types.py")
        return
    OUT.write_text(text)


if __name__ == "__main__":
    main()
