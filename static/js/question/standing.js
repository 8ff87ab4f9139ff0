/** Fields that are still loading. */

/** @type {Promise<unknown>} */
let coming = Promise.resolve();

/** Register loading fields. @param {Promise<unknown>} fields */
export function expectFields(fields) {
  coming = Promise.all([coming, fields]);
}

/** Resolves once every expected field is in place, also those added meanwhile. */
export async function fieldsStand() {
  for (let last; last !== coming;) {
    last = coming;
    await last;
  }
}
