// The command language of rearrangements, reductions and contractions.
export {};
