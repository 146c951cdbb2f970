import AppLayout from '@cloudscape-design/components/app-layout';
import Box from '@cloudscape-design/components/box';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import Spinner from '@cloudscape-design/components/spinner';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { type ReactNode, Suspense, useCallback, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { CONSOLE_PATH } from '../../console-settings.ts';
import { AppLink } from '../parts/app-link.tsx';
import { FailureBoundary } from '../parts/failure-boundary.tsx';
import { settings } from '../parts/page-settings.ts';
import { Search, useSearchKey } from './search.tsx';
import { chooseTheme, currentTheme } from './theme.ts';
import { sections, views } from './views.ts';

/** What surrounds every view: navigation, theme, search. */
export const Shell = (): ReactNode => {
  const [location, navigate] = useLocation();
  const [theme, setTheme] = useState(currentTheme);
  const [isNavigationOpen, setNavigationOpen] = useState(() => innerWidth > 700);
  const [isSearchOpen, setSearchOpen] = useState(false);
  const openSearch = useCallback(() => setSearchOpen(true), []);
  useSearchKey(openSearch);
  const other = theme === 'dark' ? 'light' : 'dark';
  const active = sections.find(({ path }) => path !== '/' && location.startsWith(path))?.path ?? '/';
  return (
    <>
      <div id="console-top">
        <TopNavigation
          identity={{
            href: CONSOLE_PATH,
            title: settings.stage === null ? 'Hookloom' : `Hookloom · ${settings.stage}`,
            onFollow: (event) => {
              event.preventDefault();
              navigate('/');
            },
          }}
          utilities={[
            {
              type: 'button',
              iconName: 'search',
              text: 'Search',
              ariaLabel: 'Search (press / or Ctrl K)',
              disableUtilityCollapse: true,
              onClick: openSearch,
            },
            ...(settings.isReadOnly
              ? [{ type: 'button', text: 'Read-only', disableUtilityCollapse: true } as const]
              : []),
            {
              type: 'button',
              text: other === 'dark' ? 'Dark' : 'Light',
              ariaLabel: `Switch to the ${other} theme`,
              onClick: () => {
                chooseTheme(other);
                setTheme(other);
              },
            },
          ]}
        />
      </div>
      {isSearchOpen && <Search onClose={() => setSearchOpen(false)} />}
      <AppLayout
        headerSelector="#console-top"
        toolsHide
        navigationOpen={isNavigationOpen}
        onNavigationChange={({ detail }) => setNavigationOpen(detail.open)}
        navigation={
          <SideNavigation
            activeHref={`${CONSOLE_PATH}${active === '/' ? '' : active}`}
            items={sections.map(({ path, text }) => ({
              type: 'link',
              text,
              href: `${CONSOLE_PATH}${path === '/' ? '' : path}`,
            }))}
            onFollow={(event) => {
              if (event.detail.external === true) return;
              event.preventDefault();
              navigate(event.detail.href.slice(CONSOLE_PATH.length) || '/');
              if (innerWidth <= 700) setNavigationOpen(false);
            }}
          />
        }
        content={
          <FailureBoundary key={location}>
            <Suspense fallback={<Spinner size="large" />}>
              <Switch>
                {views.map(({ path, View }) => (
                  <Route key={path} path={path} component={View} />
                ))}
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </FailureBoundary>
        }
      />
    </>
  );
};

const NotFound = (): ReactNode => (
  <Box textAlign="center" padding="xxl">
    <Box variant="h1">There is no such page</Box>
    <Box variant="p">
      <AppLink to="/">Go to the overview</AppLink>
    </Box>
  </Box>
);
