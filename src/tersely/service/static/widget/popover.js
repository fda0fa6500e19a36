/** Popovers that float beside a rectangle, above the site's own stacking and clipping. */

const GAP_PX = 6;
const MARGIN_PX = 8;

/** Position an element below a rectangle, or above it if there is no room below. */
export function positionPopover(element, rect) {
  const view = window.visualViewport ?? { height: innerHeight, width: innerWidth, offsetTop: 0 };
  const inset = Number.parseFloat(getComputedStyle(element).getPropertyValue("--tersely-inset")) || 0;
  const maxWidth = view.width - 2 * MARGIN_PX;
  element.style.maxWidth = `${Math.min(rect.width + 2 * inset, maxWidth)}px`;
  const { width, height } = element.getBoundingClientRect();
  const viewBottom = view.offsetTop + view.height - MARGIN_PX;
  const topBelow = rect.bottom + GAP_PX;
  const topAbove = rect.top - GAP_PX - height;
  const top = topBelow + height <= viewBottom || topAbove < MARGIN_PX ? topBelow : topAbove;
  const left = Math.max(MARGIN_PX, Math.min(rect.left - inset, view.width - width - MARGIN_PX));
  Object.assign(element.style, { top: `${Math.round(top)}px`, left: `${Math.round(left)}px` });
}

/** Show an element in the top layer. */
export function showPopover(element) {
  if (element.matches(":popover-open")) return;
  element.hidden = false;
  element.showPopover?.();
}

export function hidePopover(element) {
  if (element.matches(":popover-open")) element.hidePopover();
  element.hidden = true;
}
