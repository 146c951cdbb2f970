/**
 * The part of WebAssembly's JavaScript API in use. Neither the compiler's es2024 library nor \@types/node declares it.
 */
declare namespace WebAssembly {
  type Exports = Record<string, unknown>;
  type Imports = Record<string, Record<string, unknown>>;
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    static imports(module: Module): { readonly name: string; readonly kind: string }[];
    static exports(module: Module): { readonly name: string; readonly kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  interface Global {
    value: number;
  }
  class RuntimeError extends Error {}
}
