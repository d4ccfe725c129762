"""JSON Schemas of tools, as a strict tool of OpenAI has to have them."""


def strict_fault(schema, place=()):
    """Returns the part of the API's message for the first fault; None if there is none."""
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
