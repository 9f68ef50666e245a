// The few parts of Node that tests/js uses, so that its types need no package of their own.

declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  interface Assert {
    (value: unknown, message?: string): asserts value;
    ok(value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(value: string, pattern: RegExp, message?: string): void;
    throws(body: () => unknown, expected?: RegExp | (new (...args: never[]) => Error)): void;
    rejects(body: Promise<unknown> | (() => Promise<unknown>), expected?: RegExp): Promise<void>;
  }
  const assert: Assert;
  export default assert;
}
