import Box from '@cloudscape-design/components/box';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';

const JsonEditor = lazy(() => import('./json-editor.tsx'));

/** JSON with line numbers and folds, whose editor is loaded when the first one is shown. */
export const JsonField = (props: ComponentProps<typeof JsonEditor>): ReactNode => (
  <Suspense fallback={<Box variant="code">…</Box>}>
    <JsonEditor {...props} />
  </Suspense>
);
