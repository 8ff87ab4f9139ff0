export class TooManyFiles extends Error {}

/**
 * @param {{items: Iterable<{kind: string, webkitGetAsEntry(): FileSystemEntry | null, getAsFile(): File | null}>}}
 * dropped
 * @param {number} most @throws {TooManyFiles}
 */
export async function droppedFiles(dropped, most) {
  // The browser empties `items` at the first await.
  const items = [...dropped.items].filter(({ kind }) => kind === "file");
  const found = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  /** @type {File[]} */
  const files = [];
  for (const each of found) if (each) await gather(each, files, most);
  return files;
}

/** @param {FileSystemEntry | File} each @param {File[]} files @param {number} most */
async function gather(each, files, most) {
  if (files.length >= most) throw new TooManyFiles();
  if (each instanceof File) files.push(each);
  else if (isFile(each)) files.push(await new Promise((resolve, reject) => each.file(resolve, reject)));
  else {
    const reader = /** @type {FileSystemDirectoryEntry} */ (each).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} at most 100 entries */
      const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (batch.length === 0) return;
      for (const inner of batch) await gather(inner, files, most);
    }
  }
}

/** @param {FileSystemEntry} entry @returns {entry is FileSystemFileEntry} */
const isFile = (entry) => entry.isFile;
