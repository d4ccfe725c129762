"""JSON Schemas of tools, as the APIs have to have them."""

AT_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def fault_of(schema):
    """Returns the part of OpenAI's message for the first fault of any tool; None if there is none."""
    if any(name in schema for name in AT_TOP):
        return f"schema must have type 'object' and not have {'/'.join(repr(name) for name in AT_TOP)} at the top level."
    place = without_items(schema)
    return None if place is None else f"In context={place!r}, array schema missing items."


def without_items(schema, place=()):
    """Returns the place of the first array that does not say what it holds."""
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "array" and "items" not in schema:
        return place
    inner = [(("properties", name), one) for name, one in (schema.get("properties") or {}).items()]
    inner += [(("items",), schema.get("items"))]
    inner += [((name, str(at)), one) for name in ("anyOf", "oneOf", "allOf") for at, one in enumerate(schema.get(name) or [])]
    return next((found for path, one in inner if (found := without_items(one, (*place, *path))) is not None), None)


def strict_fault(schema, place=()):
    """Returns the part of OpenAI's message for the first fault of a strict tool; None if there is none."""
    if not isinstance(schema, dict):
        return None
    context = f"In context={place!r}, "
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            return context + "'additionalProperties' is required to be supplied and to be false."
        names = schema.get("properties") or {}
        missing = [name for name in names if name not in (schema.get("required") or ())]
        if missing:
            return (context + "'required' is required to be supplied and to be an array including every key in properties. "
                              f"Missing '{missing[0]}'.")
        for name, inner in names.items():
            fault = strict_fault(inner, (*place, "properties", name))
            if fault:
                return fault
    if "items" in schema:
        return strict_fault(schema["items"], (*place, "items"))
    return None
