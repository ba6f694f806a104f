export { heapMemory as default } from "@sw/buffer";
