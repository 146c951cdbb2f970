import type { Logger } from '@hookloom/plugin-kit';

/** The logger of a plugin. It sets the field `plugin` in every entry, overriding the plugin's own. */
export const pluginLogger = (logger: Logger, pluginId: string): Logger => ({
  debug: (message, fields) => logger.debug(message, { ...fields, plugin: pluginId }),
  info: (message, fields) => logger.info(message, { ...fields, plugin: pluginId }),
  warn: (message, fields) => logger.warn(message, { ...fields, plugin: pluginId }),
  error: (message, fields) => logger.error(message, { ...fields, plugin: pluginId }),
});
