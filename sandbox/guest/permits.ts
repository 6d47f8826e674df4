/** Placeholder until the table is made from what both engines have. */
export const permits: Record<string, readonly string[]> | null = null;
