import { describe, expect, test } from '@jest/globals';
import { adaptUnified } from '../../lib/plugins/adapt-unified.ts';
import { aHandle, aProvider } from '../support/a-plugin.ts';

describe('a unified provider', () => {
  test.each<['trigger' | 'action', boolean, boolean]>([
    ['trigger', false, true],
    ['trigger', true, true],
    ['action', false, false],
    ['action', true, true],
  ])('with a handle for a %s that says pure: %s has a node type that is pure: %s', (kind, pure, expected) => {
    const plugin = adaptUnified(aProvider({ handles: [aHandle({ kind, pure })] }));
    expect(plugin.nodeTypes[0]).toMatchObject({ kind, pure: expected });
  });

  test('is called as a method of its own object', () => {
    class Greeter {
      readonly said: string[] = [];
      init() {
        this.said.push('init');
      }
      destroy() {
        this.said.push('destroy');
      }
      healthCheck() {
        this.said.push('healthCheck');
        return { status: 'healthy' } as const;
      }
    }
    const greeter = Object.assign(new Greeter(), aProvider());
    const plugin = adaptUnified(greeter);
    plugin.init?.({} as never);
    plugin.healthCheck?.({} as never);
    plugin.destroy?.();
    expect(greeter.said).toEqual(['init', 'healthCheck', 'destroy']);
  });

  test('works without dependencies and without any calls', () => {
    expect(adaptUnified(aProvider())).toMatchObject({
      dependencies: [],
      init: undefined,
      destroy: undefined,
      healthCheck: undefined,
    });
  });
});
