import { createTheme } from '@mantine/core'

/** What can be said without style elements; colours stand in `colours.css`. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The lock would write a style element; base.css does it instead.
    Modal: { defaultProps: { lockScroll: false, centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    // A header in a dialog would count as a second banner of the page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    Drawer: { defaultProps: { lockScroll: false, closeButtonProps: { 'aria-label': 'Close' } } },
    // Its own grey has too little contrast.
    Notification: { styles: { description: { color: 'var(--mantine-color-dimmed)' } } },
    // One way of writing for all chips.
    Badge: { defaultProps: { tt: 'none' } },
    // Typing and Enter takes what was found, instead of nothing while the form around it is submitted.
    Select: { defaultProps: { selectFirstOptionOnChange: true } },
    MultiSelect: { defaultProps: { selectFirstOptionOnChange: true } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, openDelay: 300 } },
  },
})
