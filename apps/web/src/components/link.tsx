import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, forwardRef } from 'react'

type Native<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props | 'style'>

const PlainText = forwardRef<HTMLAnchorElement, AnchorProps & Native<AnchorProps>>((props, ref) => (
  <Anchor ref={ref} {...props} />
))
const PlainButton = forwardRef<HTMLAnchorElement, ButtonProps & Native<ButtonProps>>((props, ref) => (
  <Button component="a" ref={ref} {...props} />
))

const LinkedText = createLink(PlainText)
const LinkedButton = createLink(PlainButton)

/** Links to our own addresses; what they lead to is loaded when they are pointed at. */
export const TextLink: LinkComponent<typeof PlainText> = (props) => <LinkedText preload="intent" {...props} />
export const ButtonLink: LinkComponent<typeof PlainButton> = (props) => <LinkedButton preload="intent" {...props} />
