// A writer of ONNX models, as far as graphs of a few nodes need it (the fields are those of onnx.proto).

const FLOAT = 1;
const INT64 = 7;
/** `AttributeProto.type`. */
const ATTRIBUTE = { float: 1, int: 2, text: 3, ints: 7 };

function varint(number) {
  const out = [];
  for (let rest = BigInt.asUintN(64, BigInt(number)); ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    out.push(rest === 0n ? low : low | 0x80);
    if (rest === 0n) return Uint8Array.from(out);
  }
}

function joined(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const message = (field, bytes) => joined(varint(field * 8 + 2), varint(bytes.length), bytes);
const int = (field, number) => joined(varint(field * 8), varint(number));
const text = (field, value) => message(field, new TextEncoder().encode(value));
const float = (field, value) => joined(varint(field * 8 + 5), new Uint8Array(Float32Array.of(value).buffer));

/** An attribute: a text, a list of integers, `{ float }`, or an integer. */
function attribute(name, value) {
  const named = text(1, name);
  if (typeof value === "string") return joined(named, text(4, value), int(20, ATTRIBUTE.text));
  if (Array.isArray(value)) return joined(named, ...value.map((entry) => int(8, entry)), int(20, ATTRIBUTE.ints));
  if (typeof value === "object") return joined(named, float(2, value.float), int(20, ATTRIBUTE.float));
  return joined(named, int(3, value), int(20, ATTRIBUTE.int));
}

function node({ op, from, to, with: attributes = {} }) {
  const fields = Object.entries(attributes).map(([name, value]) => message(5, attribute(name, value)));
  return joined(...from.map((name) => text(1, name)), text(2, to), text(4, op), ...fields);
}

function valueInfo([name, shape]) {
  const extents = joined(...shape.map((extent) => message(1, int(1, extent))));
  return joined(text(1, name), message(2, message(1, joined(int(1, FLOAT), message(2, extents)))));
}

function constant([name, shape, data]) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const type = data instanceof BigInt64Array ? INT64 : FLOAT;
  return joined(...shape.map((extent) => int(1, extent)), int(2, type), text(8, name), message(9, bytes));
}

/**
 * A model of nodes `{ op, from, to, with }` over float32 inputs `[name, shape]`.
 */
export function model({ nodes, inputs, outputs, constants }) {
  const graph = joined(
    ...nodes.map((one) => message(1, node(one))),
    text(2, "graph"),
    ...constants.map((one) => message(5, constant(one))),
    ...inputs.map((one) => message(11, valueInfo(one))),
    ...outputs.map((one) => message(12, valueInfo(one))),
  );
  const opset = joined(text(1, ""), int(2, 20));
  return joined(int(1, 9), text(2, "strideweave"), message(7, graph), message(8, opset));
}
