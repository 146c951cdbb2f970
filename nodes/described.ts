/**
 * The installed plugins, for functions that describe node types and run none: these are packed without what nodes load
 * when they run (`resources/chunks.ts`).
 */
export { installedPlugins as describedPlugins } from './installed.ts';
