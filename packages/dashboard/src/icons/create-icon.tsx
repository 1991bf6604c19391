import type { ComponentType, SVGProps } from 'react'

interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** The width and height in pixels. */
  size?: number
  /** The width of the lines. */
  stroke?: number
}

export type Icon = ComponentType<IconProps>

/** An icon of 24 by 24 units that is drawn with lines. */
export function createIcon(path: string): Icon {
  return ({ size = 24, stroke = 2, color = 'currentColor', ...others }) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the control or text next to it has the name.
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={color}
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...others}
    >
      <path d={path} />
    </svg>
  )
}
