import type { Logger } from '../contract/services.ts';

/** The logger that a plugin gets: every entry says whose it is, whatever the plugin says itself. */
export const pluginLogger = (logger: Logger, pluginId: string): Logger => ({
  debug: (message, fields) => logger.debug(message, { ...fields, plugin: pluginId }),
  info: (message, fields) => logger.info(message, { ...fields, plugin: pluginId }),
  warn: (message, fields) => logger.warn(message, { ...fields, plugin: pluginId }),
  error: (message, fields) => logger.error(message, { ...fields, plugin: pluginId }),
});
