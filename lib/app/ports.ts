import type { Clock, Logger } from '@hookloom/plugin-kit';
import type { Registry } from '../plugins/load-registry.ts';
import type { SettingsStore } from '../shared/settings/settings.ts';
import type { RegistrarParts } from '../triggers/registrations/registrar.ts';
import type { ListUsers } from '../workflows/definition/uses.ts';
/** What the functions of the admin API have that read plugins. */
export interface AdminParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly loadRegistry: () => Promise<Registry>;
}

/** What the function has that changes the settings of the stage. */
export interface SettingsParts extends Omit<RegistrarParts, 'findNodeType'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsStore;
  readonly loadRegistry: () => Promise<Registry>;
  readonly listUsers: ListUsers;
}
