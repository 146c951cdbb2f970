import type { DragEvent } from 'react';

/** The type of data under which a dragged field has its expression. */
export const EXPRESSION_TYPE = 'application/x-hookloom-expression';

/**
 * Takes an expression that is dropped on a field. Texts take it themselves, where it is dropped.
 *
 * @param onDrop - takes the expression; null if the field takes none
 */
export const takeExpression = (onDrop: ((expression: string) => void) | null) => {
  const isOurs = ({ dataTransfer, target }: DragEvent): boolean =>
    onDrop !== null &&
    dataTransfer.types.includes(EXPRESSION_TYPE) &&
    (target as HTMLElement).closest('input:not([readonly]), textarea, .cm-content') === null;
  return {
    onDragOver: (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDrop: (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      event.stopPropagation();
      onDrop?.(event.dataTransfer.getData(EXPRESSION_TYPE));
    },
  };
};
