"""Generates src/settle_client/_models.py from docs/openapi.json; with --check it fails if the file is stale."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE / "../../docs/openapi.json"
MODELS = HERE / "src/settle_client/_models.py"
HEADER = "# Made from docs/openapi.json by generate_models.py."
OPTIONS = [
    *["--input-file-type", "openapi", "--output-model-type", "typing.TypedDict", "--target-python-version", "3.11"],
    *["--enum-field-as-literal", "all", "--use-schema-description", "--use-field-description"],
    *["--use-single-line-docstring", "--use-union-operator", "--use-standard-collections", "--disable-timestamp"],
    *["--formatters", "builtin", "--custom-file-header", HEADER],
]


def is_amount(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("multipleOf") == 0.01


def simplified(schema: Any) -> Any:
    """Makes amounts decimals and omits conditions and limits, which types cannot express."""
    if isinstance(schema, list):
        return [simplified(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if is_amount(schema):
        types = ["string", "null"] if "null" in schema["type"] else "string"
        return {"type": types, "format": "decimal", "description": schema["description"]}
    return {name: simplified(value) for name, value in schema.items() if name not in OMITTED}


OMITTED = ("allOf", "additionalProperties", "examples", "pattern", "minimum", "maxItems")


def amount_fields(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*(amount_fields(one) for one in schema))
    if not isinstance(schema, dict):
        return set()
    own = {name for name, field in schema.get("properties", {}).items() if is_amount(field)}
    return own.union(*(amount_fields(value) for value in schema.values()))


def model_schemas(schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns the schemas of resources, without the envelopes of responses."""
    names = ["Id", "Datetime", "User", "Friend", "Party", "Target", "ListedPayment", "Payment"]
    resources = {name: schemas[name] for name in names}
    # The alternatives repeat what its description says.
    resources["Target"] = {name: value for name, value in schemas["Target"].items() if name != "oneOf"}
    for name in ["Me", "CreatedPayment"]:
        resources[name] = schemas[name]["properties"]["data"]
    resources["ErrorCode"] = schemas["Error"]["properties"]["error"]["properties"]["code"]
    return resources


def generated() -> str:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    schemas = model_schemas(document["components"]["schemas"])
    simple = {"openapi": "3.1.0", "info": document["info"], "paths": {}, "components": {"schemas": simplified(schemas)}}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "openapi.json", Path(folder) / "models.py"
        source.write_text(json.dumps(simple), "utf-8")
        program = [sys.executable, "-m", "datamodel_code_generator", *OPTIONS]
        subprocess.run([*program, "--input", str(source), "--output", str(target)], check=True)
        models = target.read_text("utf-8")
    fields = ", ".join(f'"{name}"' for name in sorted(amount_fields(schemas)))
    return f"{models}\n\nAMOUNT_FIELDS = frozenset([{fields}])\n"


if __name__ == "__main__":
    text = generated()
    if "--check" not in sys.argv:
        MODELS.write_text(text, "utf-8")
    elif MODELS.read_text("utf-8") != text:
        sys.exit(f"{MODELS} is stale: run generate_models.py")
