export const acceptance = ["criteria", "tested", "reviewed", "documented", "changelog"];
