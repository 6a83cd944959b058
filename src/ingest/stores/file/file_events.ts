/** Most events of a sealed file: fewer make views slower, more make nothing faster. */
export const FILE_EVENTS = 65_536;
