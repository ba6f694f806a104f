import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { isPrivateTag } from "../elements.js";
import type { BufferHandle } from "./types.js";

/** Bytes of one entry of the buffer table. */
export const HANDLE_LENGTH = 16;

/** The device tags that have a name; the place is the tag. @since 0.1.0 */
export const DEVICE_NAMES: readonly string[] = [
  "CPU",
  "CUDA",
  "ROCm",
  "Metal",
  "Vulkan",
  "WebGPU",
  "Hexagon",
  "Level Zero",
  "OpenCL",
];

const CPU = 0;
const WEBGPU = 5;
/** The last device tag with a name. */
const LAST_DEVICE = 8;
/** Devices whose memory peers can reach: CUDA, ROCm, Vulkan, Level Zero. */
const PEER_DEVICES: readonly number[] = [1, 2, 4, 7];

/** Reads the buffer table: a count, then handles, each checked on its own and all for one place (R64). A head has none. */
export function readBuffers(reader: ByteReader, isHead: boolean): BufferHandle[] {
  const given = reader.u8("buffer_count");
  const count = isHead ? reader.within("R48", given, 0, 0) : reader.within("R52", given, 1);
  const handles: BufferHandle[] = [];
  for (let k = 0; k < count; k++) {
    const start = reader.position;
    const handle = readHandle(reader);
    const first = handles[0] ?? handle;
    if (handle.deviceTag !== first.deviceTag || handle.memoryClass !== first.memoryClass) {
      const given = `device ${handle.deviceTag}, class ${handle.memoryClass}`;
      reader.failAt(start + 12, "R64", "device_tag", given, "those of buffer 0");
    }
    handles.push(handle);
  }
  return handles;
}

/** Writes the buffer table. */
export function writeBuffers(writer: ByteWriter, buffers: readonly BufferHandle[]): void {
  writer.u8(buffers.length, "buffer_count");
  for (const handle of buffers) {
    writer.u64(handle.byteSize, "byte_size");
    writer.u32(handle.alignment, "alignment");
    writer.u8(handle.deviceTag, "device_tag");
    writer.u8(handle.syncMode, "sync_mode");
    writer.u8(handle.memoryClass, "memory_class");
    writer.u8(0, "reserved");
  }
}

/** Reads and checks one handle. */
export function readHandle(reader: ByteReader): BufferHandle {
  const byteSize = reader.u64("byte_size");
  const alignment = reader.powerOfTwo("R55", reader.u32("alignment"), 1, 0x80000000);
  if (byteSize > 0n) reader.within("R56", alignment, 64);
  const deviceTag = reader.u8("device_tag");
  if (deviceTag > LAST_DEVICE && !isPrivateTag(deviceTag)) {
    reader.refuse(deviceTag === 0xff ? "R57" : "R58", deviceTag, "0 to 8 or 240 to 254");
  }
  const syncMode = reader.within("R59", reader.u8("sync_mode"), 0, 2);
  if (deviceTag === CPU && syncMode !== 0) reader.refuse("R60", syncMode, "0 on the CPU");
  const memoryClass = reader.u8("memory_class");
  if (memoryClass > 3 && !isPrivateTag(memoryClass)) reader.refuse("R61", memoryClass, "0 to 3 or 240 to 254");
  if (!isPair(deviceTag, memoryClass)) reader.refuse("R62", memoryClass, `a class of device ${deviceTag}`);
  reader.reserved(1, "R63");
  return { byteSize, alignment, deviceTag, syncMode, memoryClass };
}

/** The table of devices and memory classes that go together (section 5). */
function isPair(device: number, memoryClass: number): boolean {
  if (memoryClass === 0) return true;
  if (memoryClass >= 0xf0) return device >= 0xf0;
  if (memoryClass === 3) return PEER_DEVICES.includes(device);
  return device <= LAST_DEVICE && device !== WEBGPU;
}
