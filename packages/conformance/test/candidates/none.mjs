export const backend = {};
