// Is a file of OTLP/JSON what the protocol's own definitions say? node otlp_check.mjs FILE
//
// Its first line goes through the protobuf message of a request to a collector of traces, its second of
// logs, as OpenTelemetry's own packages have them, and back: nothing may be lost on the way. Ids are
// hexadecimal in OTLP/JSON, and base64 in every other protobuf JSON.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const require = createRequire(`${process.env.SPOOR_NODE_MODULES}/`);
const folder = `${process.env.SPOOR_NODE_MODULES}/@opentelemetry/otlp-transformer/build/src/generated`;
const collector = require(`${folder}/root.js`).opentelemetry.proto.collector;
const requests = [collector.trace.v1.ExportTraceServiceRequest, collector.logs.v1.ExportLogsServiceRequest];

function withBytes(value) {
  if (Array.isArray(value)) return value.map(withBytes);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) =>
      [key, /^(traceId|spanId|parentSpanId)$/.test(key) ? Buffer.from(inner, "hex").toString("base64")
                                                        : withBytes(inner)]));
}

const isDefault = value => value === 0 || value === "" || (Array.isArray(value) && value.length === 0);

function compare(before, after, place) {
  if (before === null || typeof before !== "object") {
    if (String(before) !== String(after)) throw new Error(`${place}: ${before} became ${after}`);
    return;
  }
  for (const [key, value] of Object.entries(before)) {
    if (after !== undefined && key in after) compare(value, after[key], `${place}.${key}`);
    else if (!isDefault(value)) throw new Error(`${place}.${key} is no member of it`);
  }
}

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n");
if (lines.length !== requests.length) throw new Error(`${lines.length} lines`);
requests.forEach((Request, i) => {
  const said = withBytes(JSON.parse(lines[i]));
  const message = Request.fromObject(said);
  const problem = Request.verify(message);
  if (problem) throw new Error(problem);
  const back = Request.decode(Request.encode(message).finish());
  compare(said, Request.toObject(back, {longs: String, bytes: String, enums: Number}), "");
});
