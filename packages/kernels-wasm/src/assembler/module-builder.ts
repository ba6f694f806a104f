import { ByteWriter } from "./encoder.js";
import { AssemblerError } from "./errors.js";
import { FunctionBuilder } from "./function-builder.js";
import { IMPORT_SECTION, MEMORY_KIND, writeLimits, writeSection } from "./import-section.js";
import {
  type DataReference,
  type FunctionReference,
  type FunctionType,
  type Local,
  type MemoryLimits,
  VALUE_TYPE_CODES,
  type ValueType,
} from "./types.js";

/** Parameters by name: the keys are the names, in the order of the call. @since 0.1.0 */
export type Parameters<P> = { readonly [K in keyof P]: P[K] extends ValueType ? Local<P[K]> : never };

interface Import {
  readonly module: string;
  readonly name: string;
  readonly write: (writer: ByteWriter) => void;
}

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const FUNCTION_KIND = 0x00;
const PAGES = 65536;

/**
 * Builds a WebAssembly module: imports, functions, exports. The bytes depend on the calls alone, so the same
 * program gives the same module on every host.
 *
 * @example
 * ```ts
 * import { ModuleBuilder } from "@sw/kernels-wasm/assembler";
 * const module = new ModuleBuilder();
 * module.function("twice", { x: "f32" }, ["f32"], (f, { x }) => f.get(x).get(x).op("f32.add"));
 * const { twice } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes())).exports;
 * ```
 * @since 0.1.0
 */
export class ModuleBuilder {
  private readonly types: FunctionType[] = [];
  private readonly imports: Import[] = [];
  private readonly functions: { readonly type: number; readonly body: readonly number[] }[] = [];
  private readonly segments: { readonly at: number | undefined; readonly bytes: Uint8Array }[] = [];
  private readonly exports = new Map<string, { readonly kind: number; readonly index: number }>();
  private ownMemory: MemoryLimits | undefined;
  private importedFunctions = 0;
  private hasMemory = false;

  /**
   * Takes the module's memory from the host.
   *
   * @throws AssemblerError `SW_WASM_ASM_MODULE` for a second memory or impossible limits.
   */
  importMemory(module: string, name: string, limits: MemoryLimits): this {
    this.takeMemory("importMemory", limits);
    this.imports.push({ module, name, write: (writer) => writeLimits(writer.byte(MEMORY_KIND), limits) });
    return this;
  }

  /**
   * Gives the module a memory of its own, exported under a name if one is given.
   *
   * @throws AssemblerError `SW_WASM_ASM_MODULE` for a second memory or impossible limits.
   */
  memory(limits: MemoryLimits, exportName?: string): this {
    this.takeMemory("memory", limits);
    this.ownMemory = limits;
    if (exportName !== undefined) this.export(exportName, MEMORY_KIND, 0);
    return this;
  }

  /**
   * Takes a function from the host. Imports are numbered before the module's own functions, so they come first.
   *
   * @throws AssemblerError `SW_WASM_ASM_MODULE` after the first own function.
   */
  importFunction(module: string, name: string, type: FunctionType): FunctionReference {
    if (this.functions.length > 0) {
      fail(
        "importFunction",
        `an import comes after a function: got "${name}" after ${this.functions.length} functions, expected imports first.`,
      );
    }
    const typeIndex = this.typeIndex(type);
    this.imports.push({ module, name, write: (writer) => writer.byte(FUNCTION_KIND).unsigned(typeIndex) });
    return { index: this.importedFunctions++, name, type };
  }

  /**
   * Adds a function; `build` writes its body. It is exported under its name unless `options.exported` is false.
   *
   * @throws AssemblerError with the function and the instruction, when the body does not type-check;
   * `SW_WASM_ASM_MODULE` when the name is exported already.
   */
  function<const P extends { readonly [name: string]: ValueType }>(
    name: string,
    params: P,
    results: readonly ValueType[],
    build: (body: FunctionBuilder, params: Parameters<P>) => unknown,
    options: { readonly exported?: boolean } = {},
  ): FunctionReference {
    const body = new FunctionBuilder(name, params, results);
    const named = Object.fromEntries(body.parameters().map((parameter) => [parameter.name, parameter]));
    build(body, named as Parameters<P>);
    const bytes = body.finish();
    const index = this.importedFunctions + this.functions.length;
    if (options.exported ?? true) this.export(name, FUNCTION_KIND, index);
    this.functions.push({ type: this.typeIndex(body.type), body: bytes });
    return { index, name, type: body.type };
  }

  /**
   * Adds a data segment: written to memory at `at` when the module is instantiated, or, without `at`, when
   * `memory.init` says so.
   */
  data(bytes: Uint8Array, at?: number): DataReference {
    return { index: this.segments.push({ at, bytes }) - 1 };
  }

  /** Gives the bytes of the module. Allocates; the builder may go on afterwards. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const out = new ByteWriter();
    this.writeTypes(out);
    writeSection(out, IMPORT_SECTION, this.imports, (writer, entry) =>
      entry.write(writer.name(entry.module).name(entry.name)),
    );
    this.writeRest(out);
    return new Uint8Array(out.bytes);
  }

  /**
   * Gives the bytes before and after the section of imports, for a section made later in the place of the module's
   * own: see `memoryImport`. It has to import as many functions, of the same types.
   */
  toParts(): readonly [before: Uint8Array<ArrayBuffer>, after: Uint8Array<ArrayBuffer>] {
    const before = new ByteWriter();
    this.writeTypes(before);
    const after = new ByteWriter();
    this.writeRest(after);
    return [new Uint8Array(before.bytes), new Uint8Array(after.bytes)];
  }

  private writeTypes(out: ByteWriter): void {
    out.append(MAGIC_AND_VERSION);
    writeSection(out, 1, this.types, (writer, type) => {
      writer.byte(0x60);
      for (const side of [type.params, type.results]) {
        writer.vector(side, (w, value) => w.byte(VALUE_TYPE_CODES[value]));
      }
    });
  }

  private writeRest(out: ByteWriter): void {
    writeSection(out, 3, this.functions, (writer, entry) => writer.unsigned(entry.type));
    writeSection(out, 5, this.ownMemory === undefined ? [] : [this.ownMemory], writeLimits);
    writeSection(out, 7, [...this.exports], (writer, [name, entry]) =>
      writer.name(name).byte(entry.kind).unsigned(entry.index),
    );
    // How many segments there are stands before the code, which may name them.
    if (this.segments.length > 0) out.byte(12).sized((writer) => writer.unsigned(this.segments.length));
    writeSection(out, 10, this.functions, (writer, entry) => writer.sized((inner) => inner.append(entry.body)));
    writeSection(out, 11, this.segments, (writer, { at, bytes }) => {
      // A place is an expression: i32.const, end.
      if (at === undefined) writer.byte(1);
      else writer.byte(0).byte(0x41).signed(at).byte(0x0b);
      writer.unsigned(bytes.length).append(bytes);
    });
  }

  private typeIndex(type: FunctionType): number {
    const key = typeKey(type);
    const known = this.types.findIndex((other) => typeKey(other) === key);
    return known < 0 ? this.types.push({ params: [...type.params], results: [...type.results] }) - 1 : known;
  }

  private export(name: string, kind: number, index: number): void {
    if (this.exports.has(name)) {
      fail("export", `the name is taken: got "${name}" twice, expected one export of each name.`);
    }
    this.exports.set(name, { kind, index });
  }

  private takeMemory(operation: string, { minimum, maximum, shared = false }: MemoryLimits): void {
    if (this.hasMemory) fail(operation, "the module has a memory: got a second one, expected at most one.");
    const most = maximum ?? PAGES;
    if (!(Number.isInteger(minimum) && Number.isInteger(most) && minimum >= 0 && minimum <= most && most <= PAGES)) {
      fail(
        operation,
        `the limits are impossible: got minimum ${minimum}, maximum ${most}, expected 0 <= minimum <= maximum <= ${PAGES} pages.`,
      );
    }
    if (shared && maximum === undefined) {
      fail(operation, "the limits are impossible: got a shared memory without a maximum, expected one.");
    }
    this.hasMemory = true;
  }
}

function typeKey(type: FunctionType): string {
  return `${type.params.join()}>${type.results.join()}`;
}

function fail(part: string, problem: string): never {
  throw new AssemblerError("SW_WASM_ASM_MODULE", "", part, 0, problem);
}
