import { type ReactNode, useRef } from 'react';

/** Moves the focus into a panel that a key opens, and back when it closes. */
export const usePanelFocus = () => {
  const panel = useRef<HTMLElement>(null);
  const opener = useRef<HTMLElement>(null);
  return {
    panel,
    /** Moves the focus into the panel, which is there after the next rendering. */
    enter: () => {
      opener.current = document.activeElement as HTMLElement | null;
      setTimeout(() => panel.current?.focus());
    },
    /** Gives the focus back to what opened the panel, or to a node of the graph. */
    leave: (nodeId: string) => {
      const node = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(nodeId)}"]`);
      const target = opener.current?.isConnected === true ? opener.current : node;
      opener.current = null;
      setTimeout(() => target?.focus());
    },
  };
};

/** Whether a panel is below what opens it. */
export const isPanelBelow = (): boolean => innerWidth < 1_200;

interface BesideProps {
  /** The panel; null while there is none. */
  readonly panel: ReactNode;
  readonly label: string;
  readonly focus: Pick<ReturnType<typeof usePanelFocus>, 'panel'>;
  readonly children: ReactNode;
}

/** Something with a panel for what is selected in it: beside it, or below on a narrow screen. */
export const Beside = ({ panel, label, focus, children }: BesideProps): ReactNode => (
  <div className={`beside${panel === null ? '' : ' beside-split'}`}>
    {children}
    {panel !== null && (
      <section className="beside-panel" ref={focus.panel} tabIndex={-1} aria-label={label}>
        {panel}
      </section>
    )}
  </div>
);
