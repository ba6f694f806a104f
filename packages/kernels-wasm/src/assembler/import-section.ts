import { ByteWriter } from "./encoder.js";
import type { MemoryLimits } from "./types.js";

/**
 * Gives the section that imports one memory and nothing else: what goes between the parts of a module that
 * `ModuleBuilder.toParts` gives, so that one module links with a memory of any kind.
 *
 * @since 0.1.0
 */
export function memoryImport(module: string, name: string, limits: MemoryLimits): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  writeSection(out, IMPORT_SECTION, [limits], (writer) =>
    writeLimits(writer.name(module).name(name).byte(MEMORY_KIND), limits),
  );
  return new Uint8Array(out.bytes);
}

export const IMPORT_SECTION = 2;
export const MEMORY_KIND = 0x02;

/** Writes the sizes of a memory. */
export function writeLimits(writer: ByteWriter, { minimum, maximum, shared = false }: MemoryLimits): void {
  writer.byte((maximum === undefined ? 0 : 1) | (shared ? 2 : 0)).unsigned(minimum);
  if (maximum !== undefined) writer.unsigned(maximum);
}

/** Writes a section of a module; one of nothing is left out. */
export function writeSection<T>(
  out: ByteWriter,
  id: number,
  items: readonly T[],
  write: (writer: ByteWriter, item: T) => void,
): void {
  if (items.length > 0) out.byte(id).sized((writer) => writer.vector(items, write));
}
