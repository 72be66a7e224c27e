import classes from './brand.module.css'

export function Brand() {
  return (
    <span className={classes.brand}>
      <img src="/icon.svg" alt="" width={26} height={26} />
      Dwell
    </span>
  )
}
