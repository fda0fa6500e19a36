/** Which suggestions are shown. */

/** The first few; the last place is for misspelt words read otherwise, where there are any. */
export function chosen(suggestions, most) {
  const isRead = ({ corrected }) => (corrected ?? []).length > 0;
  const read = suggestions.find(isRead);
  const typed = suggestions.filter((one) => !isRead(one));
  return read ? [...typed.slice(0, most - 1), read] : typed.slice(0, most);
}
