/** Makes a line of JSON safe for a terminal. @module */

/** Escapes control and format characters, which only its strings can have: it says the same. */
export function escapeControls(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${hexOf(unit)}`),
  )
}

/** Of one UTF-16 unit. */
function hexOf(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0')
}
