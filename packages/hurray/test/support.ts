import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Descriptor,
  descriptorFlags,
  elementTypeOf,
  encodeDescriptor,
  layoutTag,
  type TiledForm,
  type TileOrder,
} from "../src/descriptor/index.js";
import { crc32c } from "../src/file/crc32c.js";
import type { KvEntry, KvScalar, KvScalarType } from "../src/file/kv.js";

export interface VectorCase {
  readonly id: string;
  readonly kind: string;
  readonly file: string;
  readonly byteLength: number;
  readonly spec: { readonly verdict: string; readonly rule?: string };
  // biome-ignore lint/suspicious/noExplicitAny: the manifest is data of many shapes
  readonly expect: any;
  /** Of mutations. */
  readonly rows: readonly unknown[];
}

const HERE = new URL("./vectors/", import.meta.url);

/** The cases of some kinds, from the vectors that are copied beside the tests. */
export function vectors(...kinds: string[]): VectorCase[] {
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", HERE), "utf8")) as { cases: VectorCase[] };
  return manifest.cases.filter((c) => kinds.includes(c.kind));
}

export function bytesOf(c: { readonly file: string }): Uint8Array {
  return new Uint8Array(readFileSync(new URL(c.file, HERE)));
}

/** The format project's own corpus: beside the clone when it is there, never in it. */
export function officialFolder(): string | undefined {
  const folder = fileURLToPath(new URL("../../../../shared/vectors/hurray/official/", import.meta.url));
  return existsSync(`${folder}manifest.json`) ? folder : undefined;
}

const number = (value: bigint): number | string => (value <= 2n ** 53n - 1n ? Number(value) : String(value));
const f64bits = (value: number, nan?: bigint): string => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = nan !== undefined && Number.isNaN(value) ? nan : view.getBigUint64(0);
  return `0x${bits.toString(16).padStart(16, "0")}`;
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const SCHEME_NAMES = {
  perTensor: ["per-tensor-affine", 1, 16],
  perChannel: ["per-channel-affine", 2, 20],
  perBlock: ["per-block-affine", 3, 24],
  nf4: ["nf4", 4, 16],
  mxfp: ["mxfp", 5, 16],
} as const;

/** A descriptor in the words of the manifest. */
export function asManifest(d: Descriptor): Record<string, unknown> {
  const bytes = encodeDescriptor(d);
  return {
    versionMajor: bytes[4],
    versionMinor: d.versionMinor,
    descriptorLength: bytes.byteLength,
    flags: descriptorFlags(d),
    rank: d.shape.length,
    type: elementTypeOf(d.typeTag)?.name ?? `extension(0x${d.typeTag.toString(16)})`,
    typeTag: d.typeTag,
    shape: d.shape.map(number),
    byteOffset: number(d.byteOffset),
    layout: { tag: layoutTag(d), ...layout(d) },
    buffers: d.buffers.map((b) => ({ ...b, byteSize: number(b.byteSize) })),
    quantization: d.quantisation === undefined ? null : quantisation(d, bytes),
    shard:
      d.shard === undefined
        ? null
        : { parentShape: d.shard.parentShape.map(number), shardOffset: d.shard.offset.map(number) },
    statistics: statistics(d),
    extensionType: d.extensionType ?? null,
    compositeMember: d.memberRole === undefined ? null : { memberRole: d.memberRole === "base" ? 1 : 0 },
  };
}

function layout({ layout: l, shape }: Descriptor): Record<string, unknown> {
  switch (l.kind) {
    case "rowMajor":
      return { name: "row-major" };
    case "columnMajor":
      return { name: "col-major" };
    case "strided":
      return { name: "strided", strides: l.strides.map(signed) };
    case "tiled":
      return { name: "tiled", ...tiledLevel(l) };
    case "morton":
      return { name: "morton", mortonBits: l.bits };
    case "hilbert":
      return { name: "hilbert", hilbertOrder: l.order, hilbertRank: shape.length };
    case "coo":
      return { name: "coo", nnz: number(l.nnz), isSorted: l.isSorted };
    case "csr":
    case "csc":
      return { name: l.kind, nnz: number(l.nnz) };
    case "csf":
      return { name: "csf", nnz: number(l.nnz), modeOrder: l.modeOrder };
    case "blockPaged": {
      const { kind, indexBits, layerIndex, numPages, ...same } = l;
      const blockTableIndexType = indexBits === 64 ? 1 : 0;
      return {
        name: "block-paged",
        ...same,
        blockTableIndexType,
        layerIndex: layerIndex ?? null,
        numPages: number(numPages),
      };
    }
    case "composite":
      return {
        name: "composite",
        compositionRule: typeof l.rule === "number" ? l.rule : ["", "partition", "overlay", "group"].indexOf(l.rule),
        combineOp: typeof l.combine === "number" ? l.combine : ["none", "replace", "add"].indexOf(l.combine),
        memberCount: l.memberCount,
      };
    case "private":
      return { name: "private", extensionLayoutId: number(l.id), extensionData: hex(l.data) };
    default:
      return { name: l.kind };
  }
}

function tiledLevel(form: TiledForm): Record<string, unknown> {
  const code = (order: TileOrder | TiledForm): number => {
    if (typeof order === "string") return order === "rowMajor" ? 1 : 2;
    return "strides" in order ? 3 : 4;
  };
  const strides = (order: TileOrder | TiledForm): unknown =>
    typeof order === "object" && "strides" in order ? order.strides.map(signed) : null;
  const { tile, outer, inner } = form;
  return {
    tileShape: tile.map(number),
    outerLayout: code(outer),
    innerLayout: code(inner),
    outerStrides: strides(outer),
    innerStrides: strides(inner),
    innerTiled: typeof inner === "object" && "tile" in inner ? tiledLevel(inner) : null,
  };
}

function signed(value: bigint): number | string {
  return value >= -(2n ** 53n - 1n) && value <= 2n ** 53n - 1n ? Number(value) : String(value);
}

function quantisation(d: Descriptor, bytes: Uint8Array): Record<string, unknown> {
  const q = d.quantisation!;
  if (q.scheme === "private" || q.scheme === "unknown") return { ...q, data: hex(q.data) };
  const [scheme, schemeTag, schemeLength] = SCHEME_NAMES[q.scheme];
  const length = schemeLength + (q.padding?.byteLength ?? 0);
  // Sections of known lengths follow the quantisation.
  const after =
    (d.shard ? 16 * d.shape.length : 0) +
    (d.statistics ? 72 : 0) +
    (d.extensionType ? 20 : 0) +
    (d.memberRole ? 16 : 0) +
    (d.tail?.byteLength ?? 0);
  const end = bytes.byteLength - after;
  const common = { hex: hex(bytes.subarray(end - length, end)), length, scheme, schemeTag, schemeLength };
  if (q.scheme === "perTensor") {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, q.scale);
    const scaleBits = `0x${view.getUint32(0).toString(16).padStart(8, "0")}`;
    return { ...common, scale: q.scale, scaleBits, zeroPoint: q.zeroPoint };
  }
  const more: Record<string, unknown> = { axis: q.axis, scaleBufferIndex: q.scaleBuffer };
  if (q.scheme !== "perChannel") more["blockSize"] = q.blockSize;
  if (q.scheme === "perChannel" || q.scheme === "perBlock") {
    more["symmetric"] = q.zeroPointBuffer === undefined;
    more["zeroPointBufferIndex"] = q.zeroPointBuffer ?? null;
    more["scaleTypeTag"] = q.scheme === "perBlock" ? q.scaleTypeTag : 3;
  }
  return { ...common, ...more };
}

function statistics(d: Descriptor): Record<string, unknown> | null {
  const s = d.statistics;
  if (s === undefined) return null;
  const { nanBits, ...rest } = s;
  const floats = ["sparsityRatio", "valueMin", "valueMax", "valueAbsMax", "valueMean", "valueStddev"] as const;
  const bits = Object.fromEntries(floats.map((field) => [field, f64bits(s[field], nanBits?.[field])]));
  return { ...rest, nnz: number(s.nnz), ...bits };
}

const KV_TAGS: readonly KvScalarType[] = ["string", "int64", "uint64", "float64", "bool", "bytes"];

function kvScalar(type: KvScalarType, value: KvScalar): Record<string, unknown> {
  const tag = KV_TAGS.indexOf(type) + 1;
  if (type === "bytes") return { tag, hex: hex(value as Uint8Array) };
  if (type === "float64") {
    const plain = Number.isFinite(value) ? value : String(value);
    return { tag, value: plain, bits: f64bits(value as number) };
  }
  return { tag, value: typeof value === "bigint" ? String(value) : value };
}

/** Metadata in the words of the manifest. */
export function kvAsManifest(entries: readonly KvEntry[]): unknown[] {
  return entries.map((entry) => ({
    key: entry.key,
    value:
      entry.type === "array"
        ? { tag: 7, elements: entry.value.map((value) => kvScalar(entry.elementType, value)) }
        : kvScalar(entry.type, entry.value),
  }));
}

export function crcText(bytes: Uint8Array): string {
  return `0x${crc32c(bytes).toString(16).padStart(8, "0")}`;
}

/** What a promise or a function throws; fails when it does not. */
export async function thrown(run: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await run();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("expected an error, got none");
}

/** The rule that is broken, or the code of any other error of ours. */
export function verdictOf(run: () => unknown): string {
  try {
    run();
    return "accept";
  } catch (error) {
    const { rule, code } = error as { rule?: string; code?: string };
    if (code === undefined) throw error;
    return rule ?? code;
  }
}

/** A small generator of reproducible numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
