;; Elements narrower than a byte to a byte each and back, sixteen of them at a time. Packed elements lie from 0 on, unpacked
;; ones from $at to $end, a multiple of 32 of them. $flip is the sign bit of a signed element, else 0: to flip it and to
;; subtract it extends the sign. The loops of 6 bits read and write 4 bytes more than they need.
(module
  (memory (export "memory") 1 1)

  ;; Each lane looks at its bit of its byte.
  (func (export "unpack1") (param $at i32) (param $end i32) (param $flip i32)
    (local $from i32) (local $bits v128)
    (local.set $bits (v128.const i8x16 1 2 4 8 16 32 64 -128 1 2 4 8 16 32 64 -128))
    (loop $next
      (v128.store (local.get $at)
        (v128.and
          (i8x16.splat (i32.const 1))
          (i8x16.eq
            (local.get $bits)
            (v128.and
              (local.get $bits)
              (i8x16.swizzle
                (v128.load16_splat (local.get $from))
                (v128.const i8x16 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1))))))
      (local.set $from (i32.add (local.get $from) (i32.const 2)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  ;; A shifted copy of a wider lane overlaps only where a mask cuts it off: bytes to their halves, and those to theirs.
  (func (export "unpack2") (param $at i32) (param $end i32) (param $flip i32)
    (local $from i32) (local $w v128) (local $half v128) (local $sign v128)
    (local.set $sign (i8x16.splat (local.get $flip)))
    (loop $next
      (local.set $w (v128.load8x8_u (local.get $from)))
      (local.set $w
        (v128.and (v128.or (local.get $w) (i16x8.shl (local.get $w) (i32.const 4))) (i8x16.splat (i32.const 15))))
      (local.set $half (i16x8.extend_low_i8x16_u (local.get $w)))
      (local.set $half
        (v128.and (v128.or (local.get $half) (i16x8.shl (local.get $half) (i32.const 6))) (i8x16.splat (i32.const 3))))
      (v128.store (local.get $at) (i8x16.sub (v128.xor (local.get $half) (local.get $sign)) (local.get $sign)))
      (local.set $half (i16x8.extend_high_i8x16_u (local.get $w)))
      (local.set $half
        (v128.and (v128.or (local.get $half) (i16x8.shl (local.get $half) (i32.const 6))) (i8x16.splat (i32.const 3))))
      (v128.store offset=16 (local.get $at) (i8x16.sub (v128.xor (local.get $half) (local.get $sign)) (local.get $sign)))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 32))) (local.get $end)))))

  (func (export "unpack4") (param $at i32) (param $end i32) (param $flip i32)
    (local $from i32) (local $w v128) (local $sign v128)
    (local.set $sign (i8x16.splat (local.get $flip)))
    (loop $next
      (local.set $w (v128.load8x8_u (local.get $from)))
      (local.set $w
        (v128.and (v128.or (local.get $w) (i16x8.shl (local.get $w) (i32.const 4))) (i8x16.splat (i32.const 15))))
      (v128.store (local.get $at) (i8x16.sub (v128.xor (local.get $w) (local.get $sign)) (local.get $sign)))
      (local.set $from (i32.add (local.get $from) (i32.const 8)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  ;; Groups of three bytes to words of four: halves of 12 bits first, then the halves of those.
  (func (export "unpack6") (param $at i32) (param $end i32) (param $flip i32)
    (local $from i32) (local $w v128) (local $halves v128) (local $low v128) (local $high v128)
    (local.set $halves (i32x4.splat (i32.const 0xfff)))
    (local.set $low (i32x4.splat (i32.const 0x003f003f)))
    (local.set $high (i32x4.splat (i32.const 0x3f003f00)))
    (loop $next
      (local.set $w
        (i8x16.swizzle
          (v128.load (local.get $from))
          (v128.const i8x16 0 1 2 -1 3 4 5 -1 6 7 8 -1 9 10 11 -1)))
      (local.set $w
        (v128.bitselect
          (local.get $w)
          (i32x4.shl (local.get $w) (i32.const 4))
          (local.get $halves)))
      (v128.store (local.get $at)
        (v128.or
          (v128.and (local.get $w) (local.get $low))
          (v128.and (i32x4.shl (local.get $w) (i32.const 2)) (local.get $high))))
      (local.set $from (i32.add (local.get $from) (i32.const 12)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  (func (export "pack1") (param $at i32) (param $end i32)
    (local $to i32)
    (loop $next
      (i32.store16
        (local.get $to)
        (i32.xor
          (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (i8x16.splat (i32.const 0))))
          (i32.const -1)))
      (local.set $to (i32.add (local.get $to) (i32.const 2)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  (func (export "pack2") (param $at i32) (param $end i32)
    (local $to i32) (local $w v128)
    (loop $next
      (local.set $w (v128.and (v128.load (local.get $at)) (i8x16.splat (i32.const 3))))
      (local.set $w (v128.or (local.get $w) (i16x8.shr_u (local.get $w) (i32.const 6))))
      (local.set $w (v128.and (local.get $w) (i16x8.splat (i32.const 15))))
      (local.set $w (v128.or (local.get $w) (i32x4.shr_u (local.get $w) (i32.const 12))))
      (local.set $w (v128.and (local.get $w) (i32x4.splat (i32.const 255))))
      (local.set $w (i16x8.narrow_i32x4_u (local.get $w) (local.get $w)))
      (v128.store32_lane 0 (local.get $to) (i8x16.narrow_i16x8_u (local.get $w) (local.get $w)))
      (local.set $to (i32.add (local.get $to) (i32.const 4)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  (func (export "pack4") (param $at i32) (param $end i32)
    (local $to i32) (local $w v128)
    (loop $next
      (local.set $w (v128.and (v128.load (local.get $at)) (i8x16.splat (i32.const 15))))
      (local.set $w (v128.or (local.get $w) (i16x8.shr_u (local.get $w) (i32.const 4))))
      (local.set $w (v128.and (local.get $w) (i16x8.splat (i32.const 255))))
      (v128.store64_lane 0 (local.get $to) (i8x16.narrow_i16x8_u (local.get $w) (local.get $w)))
      (local.set $to (i32.add (local.get $to) (i32.const 8)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))

  ;; The highest byte of a word is not looked at.
  (func (export "pack6") (param $at i32) (param $end i32)
    (local $to i32) (local $w v128) (local $halves v128) (local $low v128) (local $high v128)
    (local.set $halves (i32x4.splat (i32.const 0xfff)))
    (local.set $low (i32x4.splat (i32.const 0x003f003f)))
    (local.set $high (i32x4.splat (i32.const 0x0fc00fc0)))
    (loop $next
      (local.set $w (v128.load (local.get $at)))
      (local.set $w
        (v128.or
          (v128.and (local.get $w) (local.get $low))
          (v128.and (i32x4.shr_u (local.get $w) (i32.const 2)) (local.get $high))))
      (v128.store
        (local.get $to)
        (i8x16.swizzle
          (v128.bitselect
            (local.get $w)
            (i32x4.shr_u (local.get $w) (i32.const 4))
            (local.get $halves))
          (v128.const i8x16 0 1 2 4 5 6 8 9 10 12 13 14 -1 -1 -1 -1)))
      (local.set $to (i32.add (local.get $to) (i32.const 12)))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end)))))
)
