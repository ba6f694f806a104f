/** Flag bits of the optional sections. */
export const FLAGS = { quantisation: 1, shard: 2, extensionType: 4, statistics: 8, compositeMember: 16 } as const;
