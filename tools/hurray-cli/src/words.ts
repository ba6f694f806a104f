import {
  type Descriptor,
  type DescriptorLayout,
  DYNAMIC,
  elementTypeOf,
  LAYOUT_NAMES,
  layoutTag,
  type Quantisation,
  type Statistics,
  type TiledForm,
  type TileOrder,
} from "@sw/hurray/descriptor";
import { numberText } from "./json.js";

// Descriptors in words, for tables.

/** Characters of a name that a table shows. */
const SHOWN = 60;

/** A name as tables and messages show it: as it is where a shell and an eye can take it, else quoted, and cut where it is long. */
export function nameText(name: string): string {
  const text = /^[^\p{C}\s"'\\]+$/u.test(name) ? name : JSON.stringify(name);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

export function typeText({ typeTag, extensionType }: Descriptor): string {
  const named = elementTypeOf(typeTag)?.name;
  if (named !== undefined) return named;
  const tag = `0x${typeTag.toString(16)}`;
  return extensionType === undefined ? `type ${tag}` : `private ${tag} (${extensionType.bitWidth} bits)`;
}

export function shapeText(shape: readonly bigint[]): string {
  return `[${shape.map((extent) => (extent === DYNAMIC ? "?" : extent)).join(",")}]`;
}

export function layoutText(d: Descriptor): string {
  const { layout } = d;
  const name = LAYOUT_NAMES[layoutTag(d)] ?? layout.kind;
  switch (layout.kind) {
    case "strided":
      return `${name} (${layout.strides.join(",")})`;
    case "tiled":
      return `${name} ${tiledText(layout)}`;
    case "hilbert":
      return `${name}, order ${layout.order}`;
    case "coo":
      return `${name}, ${layout.nnz} stored${layout.isSorted ? ", sorted" : ""}`;
    case "csr":
    case "csc":
      return `${name}, ${layout.nnz} stored`;
    case "csf":
      return `${name}, ${layout.nnz} stored, modes ${layout.modeOrder.join(",")}`;
    case "blockPaged":
      return `${name}, ${layout.numPages} pages of ${layout.pageSize}, ${layout.numSeqs} sequences`;
    case "composite":
      return compositeText(layout);
    case "private":
      return `private 0x${layout.tag.toString(16)}, id ${layout.id}`;
    case "unknown":
      return `unknown 0x${layout.tag.toString(16)}`;
    default:
      return name;
  }
}

function compositeText({ rule, combine, memberCount }: Extract<DescriptorLayout, { kind: "composite" }>): string {
  const what = typeof rule === "number" ? `private rule 0x${rule.toString(16)}` : rule;
  return `${what} of ${memberCount}${combine === "none" ? "" : `, ${combine}`}`;
}

function tiledText({ tile, outer, inner }: TiledForm): string {
  const order = (of: TileOrder): string => (typeof of === "string" ? of : `(${of.strides.join(",")})`);
  const within = typeof inner === "object" && "tile" in inner ? tiledText(inner) : order(inner);
  return `${tile.join("x")} ${order(outer)} of ${within}`;
}

export function quantisationText(q: Quantisation): string {
  switch (q.scheme) {
    case "perTensor":
      return `per tensor, scale ${numberText(q.scale)}, zero point ${q.zeroPoint}`;
    case "perChannel":
      return `per channel of axis ${q.axis}`;
    case "perBlock":
    case "nf4":
    case "mxfp":
      return `${q.scheme === "perBlock" ? "per block" : q.scheme.toUpperCase()}, ${q.blockSize} along axis ${q.axis}`;
    default:
      return `${q.scheme} scheme 0x${q.tag.toString(16)}`;
  }
}

/** The statistics that were computed, by their names. */
export function computedStatistics(s: Statistics): { readonly [name: string]: number | bigint | boolean } {
  const groups: readonly (readonly (keyof Statistics)[])[] = [
    ["nnz"],
    ["sparsityRatio"],
    ["valueMin", "valueMax", "valueAbsMax"],
    ["valueMean", "valueStddev"],
    ["nmN", "nmM"],
    ["hasNan", "hasInf"],
  ];
  const names = groups.flatMap((group, bit) => ((s.computedMask >>> bit) & 1 ? group : []));
  return Object.fromEntries(names.map((name) => [name, s[name] as number | bigint | boolean]));
}

/** What else there is to say of a tensor. */
export function remarks(d: Descriptor): string[] {
  const list: string[] = [];
  if (d.quantisation !== undefined) list.push(quantisationText(d.quantisation));
  if (d.shard !== undefined) list.push(`shard at [${d.shard.offset.join(",")}] of ${shapeText(d.shard.parentShape)}`);
  if (d.memberRole !== undefined) list.push(d.memberRole);
  if (d.statistics !== undefined) {
    const computed = Object.entries(computedStatistics(d.statistics));
    if (computed.length > 0)
      list.push(computed.map(([name, value]) => `${SHORT[name] ?? name} ${numberText(value)}`).join(" "));
  }
  if (d.opaque === true) list.push("opaque: breaks a rule that inspection passes over");
  return list;
}

const SHORT: { readonly [name: string]: string } = {
  sparsityRatio: "sparsity",
  valueMin: "min",
  valueMax: "max",
  valueAbsMax: "absmax",
  valueMean: "mean",
  valueStddev: "stddev",
};

/** Bytes of all buffers. */
export function dataBytes(d: Descriptor): bigint {
  return d.buffers.reduce((sum, { byteSize }) => sum + byteSize, 0n);
}

/** Bytes with a unit, in three digits. */
export function sizeText(bytes: number | bigint): string {
  let size = Number(bytes);
  if (size < 1000) return `${size} B`;
  let unit = -1;
  while (size >= 999.5) {
    size /= 1000;
    unit++;
  }
  return `${size.toPrecision(3)} ${["kB", "MB", "GB", "TB", "PB", "EB"][unit]}`;
}

/** A descriptor as plain data with the names of the format's types. */
export function descriptorFacts(d: Descriptor): { readonly [name: string]: unknown } {
  const { layout, quantisation, shard, statistics, extensionType, memberRole, opaque } = d;
  return {
    type: typeText(d),
    shape: d.shape.map((extent) => (extent === DYNAMIC ? null : extent)),
    layout: { ...layout, name: LAYOUT_NAMES[layoutTag(d)] ?? layout.kind },
    byteOffset: d.byteOffset,
    byteLength: dataBytes(d),
    buffers: d.buffers,
    ...(quantisation && { quantisation }),
    ...(shard && { shard }),
    ...(statistics && { statistics: computedStatistics(statistics) }),
    ...(extensionType && { extensionType }),
    ...(memberRole && { memberRole }),
    ...(opaque && { opaque }),
  };
}

/** A number and what it counts: `1 tensor`, `2 tensors`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
