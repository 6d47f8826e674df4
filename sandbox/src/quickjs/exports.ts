/** The functions of the compiled engine that are used here; pointers are byte offsets into its memory. */
export interface Exports {
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _QTS_NewRuntime(): number;
  _QTS_NewContext(runtime: number, intrinsics: number): number;
  _QTS_RuntimeSetMaxStackSize(runtime: number, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: number): void;
  _QTS_RuntimeEnableModuleLoader(runtime: number, withNormaliser: number): void;
  _QTS_Eval(
    context: number,
    code: number,
    length: number,
    file: number,
    detectModule: number,
    flags: number,
  ): number;
  _QTS_Call(context: number, fn: number, self: number, argc: number, argv: number): number;
  _QTS_NewString(context: number, utf8: number): number;
  _QTS_GetString(context: number, value: number): number;
  _QTS_GetProp(context: number, object: number, key: number): number;
  _QTS_GetUndefined(): number;
  _QTS_ResolveException(context: number, value: number): number;
  _QTS_PromiseState(context: number, promise: number): number;
  _QTS_PromiseResult(context: number, promise: number): number;
  _QTS_IsJobPending(runtime: number): number;
  _QTS_ExecutePendingJob(runtime: number, maxJobs: number, contextOut: number): number;
  _QTS_FreeValuePointer(context: number, value: number): void;
  _QTS_FreeCString(context: number, text: number): void;
  _QTS_NewError(context: number): number;
  _QTS_Throw(context: number, error: number): number;
  _QTS_DefineProp(
    context: number,
    object: number,
    key: number,
    value: number,
    get: number,
    set: number,
    configurable: number,
    enumerable: number,
    hasValue: number,
  ): void;
}
