/** The two versions of something. */
export interface BeforeAfter<T> {
  readonly old: T;
  readonly new: T;
}
