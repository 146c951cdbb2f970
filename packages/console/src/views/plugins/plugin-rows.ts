import type { Answer } from '../../api/routes.ts';

type Listed = Answer<'GET /api/admin/plugins'>['plugins'][number];
type Report = Answer<'GET /api/admin/plugins/health'>;
type Disabled = Answer<'GET /api/admin/plugins/disabled'>['plugins'][number];

export type PluginHealth = Report['plugins'][string];

type PluginStatus = PluginHealth['status'] | 'unknown';

/** A plugin with all that is known of its state. */
export interface PluginRow extends Listed {
  readonly status: PluginStatus;
  /** Why it has its status. */
  readonly message: string | null;
  /** Null unless it is disabled on the stage. */
  readonly disabled: Disabled | null;
  /** Null until the report is there. */
  readonly health: PluginHealth | null;
}

const ORDER: readonly PluginStatus[] = ['unhealthy', 'warning', 'disabled', 'unknown', 'healthy'];

/**
 * The installed plugins, those that need attention first, then by id.
 *
 * @param report - null until it is there, or if it can't be read
 */
export const toPluginRows = (
  plugins: readonly Listed[],
  report: Report | null,
  disabled: readonly Disabled[],
): PluginRow[] =>
  plugins
    .map((plugin) => {
      const health = report?.plugins[plugin.id] ?? null;
      const isDisabled = disabled.find(({ id }) => id === plugin.id) ?? null;
      const status = isDisabled === null ? (health?.status ?? statusOf(plugin)) : 'disabled';
      const message = isDisabled?.message ?? health?.message ?? plugin.error ?? null;
      return { ...plugin, status, message, disabled: isDisabled, health };
    })
    .sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.id.localeCompare(b.id));

/** What the list alone says. */
const statusOf = ({ loaded, error }: Listed): PluginStatus => {
  if (error !== undefined) return 'unhealthy';
  return loaded ? 'unknown' : 'disabled';
};
