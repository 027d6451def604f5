"""Values as colours, and vectors as arrows."""

import numpy as np

# Equidistant colours from the minimum to the maximum, with linear interpolation between them.
_MAPS = {
    "plasma": "0d0887 220690 310597 3f049c 4c02a1 5901a5 6600a7 7201a8 7e03a8 8a09a5 9511a1 a01a9c aa2395 b32c8e bc3587 c43e7f cc4778 d35171 da5a6a e06363 e66c5c eb7655 f0804e f58b47 f89540 fba139 fdac33 feb82c fdc527 fcd225 f8df25 f4ed27 f0f921",
    "viridis": "440154 470d60 48186a 482374 472d7b 453781 424086 3e4989 3b528b 375b8d 33638d 2f6b8e 2c728e 297a8e 26828e 23898e 21918c 1f988b 1fa088 22a785 28ae80 32b67a 3fbc73 4ec36b 5ec962 70cf57 84d44b 98d83e addc30 c2df23 d8e219 ece51b fde725",
    "inferno": "000004 040312 0b0724 150b37 210c4a 2f0a5b 3d0965 4a0c6b 57106e 64156e 71196e 7d1e6d 8a226a 972766 a32c61 b0315b bc3754 c73e4c d24644 db503b e45a31 eb6628 f1731d f68013 f98e09 fb9d07 fcac11 fbbc21 f9cb35 f5db4c f2ea69 f3f68a fcffa4",
    "magma": "000004 030312 0a0822 130d34 1d1147 29115a 36106b 440f76 51127c 5d177f 6a1c81 762181 832681 902a81 9c2e7f aa337d b73779 c43c75 d0416f dc4869 e75263 ef5d5e f56b5c f9795d fc8961 fd9869 fea772 feb67c fec488 fed395 fde2a3 fcf0b2 fcfdbf",
    "gray": "000000 ffffff",
    "coolwarm": "3b4cc0 445acc 4e68d8 5875e1 6282ea 6c8ff1 779af7 82a6fb 8db0fe 98b9ff a3c2fe aec9fc b9d0f9 c3d5f4 ccd9ed d5dbe5 dddcdc e5d8d1 ecd3c5 f1ccb8 f5c4ac f7ba9f f7b093 f6a586 f4987a f08b6e eb7d62 e46e56 dd5f4b d44e41 ca3b37 be242e b40426",
    "jet": "000080 0000a4 0000c8 0000ed 0000ff 0020ff 0040ff 0060ff 0080ff 00a0ff 00c0ff 00e0fb 16ffe1 30ffc7 49ffad 63ff94 7dff7a 97ff60 b1ff46 caff2c e4ff13 feed00 ffd000 ffb200 ff9400 ff7700 ff5900 ff3b00 ff1e00 e80000 c40000 9f0000 800000",
    "turbo": "30123b 392a73 4040a2 4456c7 466be3 4680f6 4294ff 37a8fa 28bceb 1ccdd8 18ddc2 1fe9af 32f298 4ef97d 6dfe62 8bff4b a4fc3c b9f635 cdec34 dfdf37 eecf3a f8be39 fdac34 fe962b fb7e21 f46617 eb500e df3f08 d02f05 be2102 a91601 920b01 7a0403",
}


def colours(values, cmap):
    """Returns the colours of values from 0 to 1 as bytes with shape (..., 3); nan is black."""
    if cmap not in _MAPS:
        raise ValueError(f"there is no colour map {cmap!r}; there are {', '.join(_MAPS)}")
    steps = np.array([[int(word[i : i + 2], 16) for i in (0, 2, 4)] for word in _MAPS[cmap].split()], np.float32)
    table = np.stack([np.interp(np.linspace(0, len(steps) - 1, 256), np.arange(len(steps)), steps[:, k]) for k in range(3)], axis=1)
    known = np.isfinite(values)
    made = (table + 0.5).astype(np.uint8)[(np.clip(np.where(known, values, 0), 0, 1) * 255 + 0.5).astype(np.uint8)]
    made[~known] = 0
    return made


def contour(values, cmap, normalize):
    """Returns a picture of values on a grid."""
    if values.ndim != 2:
        raise ValueError(f"contour shows numbers on two axes, these have the shape {values.shape}")
    if normalize:
        known = values[np.isfinite(values)]
        least, most = (known.min(), known.max()) if known.size else (0, 1)
        values = (values - least) / max(most - least, 1e-16)
    return colours(values, cmap)


def arrows(vectors, spacing, longest):
    """Returns the start points and directions of arrows for vectors on a grid."""
    if vectors.ndim != 3 or vectors.shape[2] != 2:
        raise ValueError(f"a vector field has two axes and vectors of two numbers, this one the shape {vectors.shape}")
    step = max(int(spacing), 1)
    width, height = vectors.shape[:2]
    x, y = np.meshgrid(np.arange(0, width, step) / width, np.arange(0, height, step) / height, indexing="ij")
    lengths = np.linalg.norm(vectors, axis=-1)
    lengths = lengths[np.isfinite(lengths)]
    scale = longest / max(lengths.max() if lengths.size else 0, 1e-16)
    return np.stack([x, y], axis=-1).reshape(-1, 2), (vectors[::step, ::step] * scale).reshape(-1, 2)
