/** The two versions of something. */
export interface Both<T> {
  readonly old: T;
  readonly new: T;
}
