/** Whether a question is still put to the driver. */
export const ASK = 0;
/** Not before the next turn on the rota: the answer may change, as permissions do. */
export const REST = 1;
/** Never again until the library is opened anew. */
export const NEVER = 2;
