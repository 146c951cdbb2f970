import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { CONSOLE_PATH } from '../console-settings.ts';
import { queryClient } from './api/use-api.ts';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './shell/theme.ts';
import './console.css';

/** Before each further request of a file. */
const PAUSES_MS = [200, 1_000, 3_000];

const fetchFile = async (url: string, [pauseMs, ...later]: readonly number[]): Promise<void> => {
  try {
    await (await fetch(url)).arrayBuffer();
  } catch (error) {
    if (pauseMs === undefined) throw error;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await fetchFile(url, later);
  }
};

/** Brings files of a part of the console into the browser's cache, and asks again for those whose request was lost. */
const fetchFiles = async (names: readonly string[]): Promise<void> => {
  await Promise.all(names.map((name) => fetchFile(`${CONSOLE_PATH}/assets/${name}`, PAUSES_MS)));
};

// Called before each import of a part, which serve/fetched-imports.ts adds to the built page.
Object.assign(globalThis, { fetchFiles });

applyTheme();
const element = document.querySelector('#console');
if (element === null) throw new Error('the page has no element for the console');
createRoot(element).render(
  <StrictMode>
    <I18nProvider locale="en" messages={[messages]}>
      <QueryClientProvider client={queryClient}>
        <Router base={CONSOLE_PATH}>
          <Shell />
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
