/**
 * Every plain instruction: opcode (a prefix byte stays a byte, what follows it is LEB128), operand types in the
 * order they are pushed, result types, and the immediates it is written with. Control instructions and those on
 * locals are methods of the function builder, because their types depend on what they name. A new instruction is
 * a new row here and nothing else.
 * @since 0.1.0
 */
export const INSTRUCTIONS = {
  // i32
  "i32.const": { code: [0x41], from: [], to: ["i32"], immediate: "i32" },
  "i32.eqz": { code: [0x45], from: ["i32"], to: ["i32"], immediate: "none" },
  "i32.eq": { code: [0x46], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.ne": { code: [0x47], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.lt_s": { code: [0x48], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.lt_u": { code: [0x49], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.gt_s": { code: [0x4a], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.gt_u": { code: [0x4b], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.le_s": { code: [0x4c], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.le_u": { code: [0x4d], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.ge_s": { code: [0x4e], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.ge_u": { code: [0x4f], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.add": { code: [0x6a], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.sub": { code: [0x6b], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.mul": { code: [0x6c], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.and": { code: [0x71], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.or": { code: [0x72], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.xor": { code: [0x73], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.shl": { code: [0x74], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.shr_s": { code: [0x75], from: ["i32", "i32"], to: ["i32"], immediate: "none" },
  "i32.shr_u": { code: [0x76], from: ["i32", "i32"], to: ["i32"], immediate: "none" },

  // f32
  "f32.const": { code: [0x43], from: [], to: ["f32"], immediate: "f32" },
  "f32.abs": { code: [0x8b], from: ["f32"], to: ["f32"], immediate: "none" },
  "f32.neg": { code: [0x8c], from: ["f32"], to: ["f32"], immediate: "none" },
  "f32.sqrt": { code: [0x91], from: ["f32"], to: ["f32"], immediate: "none" },
  "f32.add": { code: [0x92], from: ["f32", "f32"], to: ["f32"], immediate: "none" },
  "f32.sub": { code: [0x93], from: ["f32", "f32"], to: ["f32"], immediate: "none" },
  "f32.mul": { code: [0x94], from: ["f32", "f32"], to: ["f32"], immediate: "none" },
  "f32.div": { code: [0x95], from: ["f32", "f32"], to: ["f32"], immediate: "none" },
  "f32.demote_f64": { code: [0xb6], from: ["f64"], to: ["f32"], immediate: "none" },

  // f64
  "f64.const": { code: [0x44], from: [], to: ["f64"], immediate: "f64" },
  "f64.abs": { code: [0x99], from: ["f64"], to: ["f64"], immediate: "none" },
  "f64.neg": { code: [0x9a], from: ["f64"], to: ["f64"], immediate: "none" },
  "f64.sqrt": { code: [0x9f], from: ["f64"], to: ["f64"], immediate: "none" },
  "f64.add": { code: [0xa0], from: ["f64", "f64"], to: ["f64"], immediate: "none" },
  "f64.sub": { code: [0xa1], from: ["f64", "f64"], to: ["f64"], immediate: "none" },
  "f64.mul": { code: [0xa2], from: ["f64", "f64"], to: ["f64"], immediate: "none" },
  "f64.div": { code: [0xa3], from: ["f64", "f64"], to: ["f64"], immediate: "none" },
  "f64.promote_f32": { code: [0xbb], from: ["f32"], to: ["f64"], immediate: "none" },

  // memory; `bytes` is the access size, from which the natural alignment follows
  "i32.load": { code: [0x28], from: ["i32"], to: ["i32"], immediate: "memory", bytes: 4 },
  "f32.load": { code: [0x2a], from: ["i32"], to: ["f32"], immediate: "memory", bytes: 4 },
  "f64.load": { code: [0x2b], from: ["i32"], to: ["f64"], immediate: "memory", bytes: 8 },
  "i32.store": { code: [0x36], from: ["i32", "i32"], to: [], immediate: "memory", bytes: 4 },
  "f32.store": { code: [0x38], from: ["i32", "f32"], to: [], immediate: "memory", bytes: 4 },
  "f64.store": { code: [0x39], from: ["i32", "f64"], to: [], immediate: "memory", bytes: 8 },
  "v128.load": { code: [0xfd, 0x00], from: ["i32"], to: ["v128"], immediate: "memory", bytes: 16 },
  "v128.load32_splat": { code: [0xfd, 0x09], from: ["i32"], to: ["v128"], immediate: "memory", bytes: 4 },
  "v128.load64_splat": { code: [0xfd, 0x0a], from: ["i32"], to: ["v128"], immediate: "memory", bytes: 8 },
  "v128.load32_zero": { code: [0xfd, 0x5c], from: ["i32"], to: ["v128"], immediate: "memory", bytes: 4 },
  "v128.load64_zero": { code: [0xfd, 0x5d], from: ["i32"], to: ["v128"], immediate: "memory", bytes: 8 },
  "v128.store": { code: [0xfd, 0x0b], from: ["i32", "v128"], to: [], immediate: "memory", bytes: 16 },
  "v128.load32_lane": {
    code: [0xfd, 0x56],
    from: ["i32", "v128"],
    to: ["v128"],
    immediate: "memoryLane",
    bytes: 4,
    lanes: 4,
  },
  "v128.store32_lane": {
    code: [0xfd, 0x5a],
    from: ["i32", "v128"],
    to: [],
    immediate: "memoryLane",
    bytes: 4,
    lanes: 4,
  },
  "v128.store64_lane": {
    code: [0xfd, 0x5b],
    from: ["i32", "v128"],
    to: [],
    immediate: "memoryLane",
    bytes: 8,
    lanes: 2,
  },

  // v128
  "v128.const": { code: [0xfd, 0x0c], from: [], to: ["v128"], immediate: "v128" },
  "i8x16.shuffle": { code: [0xfd, 0x0d], from: ["v128", "v128"], to: ["v128"], immediate: "shuffle" },
  "v128.and": { code: [0xfd, 0x4e], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "v128.or": { code: [0xfd, 0x50], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "v128.xor": { code: [0xfd, 0x51], from: ["v128", "v128"], to: ["v128"], immediate: "none" },

  // f32x4
  "f32x4.splat": { code: [0xfd, 0x13], from: ["f32"], to: ["v128"], immediate: "none" },
  "f32x4.extract_lane": { code: [0xfd, 0x1f], from: ["v128"], to: ["f32"], immediate: "lane", lanes: 4 },
  "f32x4.replace_lane": { code: [0xfd, 0x20], from: ["v128", "f32"], to: ["v128"], immediate: "lane", lanes: 4 },
  "f32x4.abs": { code: [0xfd, 0xe0], from: ["v128"], to: ["v128"], immediate: "none" },
  "f32x4.neg": { code: [0xfd, 0xe1], from: ["v128"], to: ["v128"], immediate: "none" },
  "f32x4.sqrt": { code: [0xfd, 0xe3], from: ["v128"], to: ["v128"], immediate: "none" },
  "f32x4.add": { code: [0xfd, 0xe4], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.sub": { code: [0xfd, 0xe5], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.mul": { code: [0xfd, 0xe6], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.div": { code: [0xfd, 0xe7], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.min": { code: [0xfd, 0xe8], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.max": { code: [0xfd, 0xe9], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.pmin": { code: [0xfd, 0xea], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f32x4.pmax": { code: [0xfd, 0xeb], from: ["v128", "v128"], to: ["v128"], immediate: "none" },

  // f64x2
  "f64x2.splat": { code: [0xfd, 0x14], from: ["f64"], to: ["v128"], immediate: "none" },
  "f64x2.add": { code: [0xfd, 0xf0], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f64x2.sub": { code: [0xfd, 0xf1], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f64x2.mul": { code: [0xfd, 0xf2], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
  "f64x2.div": { code: [0xfd, 0xf3], from: ["v128", "v128"], to: ["v128"], immediate: "none" },
} as const;

/** The name of an instruction, as in the text format. @since 0.1.0 */
export type InstructionName = keyof typeof INSTRUCTIONS;

/** The arguments that each kind of immediate is given by. @since 0.1.0 */
export interface ImmediateArguments {
  none: [];
  i32: [value: number];
  f32: [value: number];
  f64: [value: number];
  /** Sixteen bytes, lowest first. */
  v128: [bytes: readonly number[]];
  lane: [lane: number];
  /** Sixteen byte numbers, 0 to 15 of the first operand, 16 to 31 of the second. */
  shuffle: [bytes: readonly number[]];
  memory: [byteOffset?: number];
  memoryLane: [byteOffset: number, lane: number];
}

/** The immediates of one instruction. @since 0.1.0 */
export type ImmediatesOf<N extends InstructionName> = ImmediateArguments[(typeof INSTRUCTIONS)[N]["immediate"]];
