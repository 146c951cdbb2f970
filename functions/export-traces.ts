import { openExportTraces } from '../lib/app/compose/traces.ts';
import { createExportTraces } from '../lib/app/export-traces.ts';
import { serve } from '../lib/app/sandbox.ts';

export const handler = serve(createExportTraces(openExportTraces()));
