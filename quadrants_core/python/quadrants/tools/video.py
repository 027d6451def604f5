"""Sequences of pictures as video files."""

import os
import shutil
import subprocess

from quadrants._windows import arrays, image

_PATTERN = "%06d.png"


class VideoManager:
    """Writes frames as picture files and makes a video from them: MP4 with ffmpeg, GIF with Pillow.

    Args:
        output_dir: folder of the video; the pictures are in its subfolder `frames`.
        video_filename: name of the video; its extension is ignored.
        width: width of the video; None: that of the pictures.
        height: height of the video; None: that of the pictures.
        post_processor: an object whose `process(img)` returns the picture to write.
        framerate: frames per second.
        automatic_build: whether to make the video periodically while frames are written.

    Example:
        >>> import os, tempfile, numpy as np
        >>> video = qd.tools.VideoManager(tempfile.mkdtemp(), automatic_build=False)
        >>> for i in range(3):
        ...     video.write_frame(np.full((8, 8), i / 3))
        >>> len(os.listdir(video.get_frame_directory()))
        3
    """

    def __init__(self, output_dir, video_filename=None, width=None, height=None, post_processor=None, framerate=24, automatic_build=True):
        if (width is None) != (height is None):
            raise ValueError("VideoManager: give both width and height, or neither")
        if not arrays.number(framerate, "VideoManager: framerate") > 0:
            raise ValueError(f"VideoManager: framerate must be greater than 0, not {framerate!r}")
        self.directory, self.video_filename = os.fspath(output_dir), video_filename
        self.width, self.height, self.post_processor = width, height, post_processor
        self.framerate, self.automatic_build = framerate, automatic_build
        self.frame_directory = os.path.join(self.directory, "frames")
        os.makedirs(self.frame_directory, exist_ok=True)
        self.frame_counter, self.frame_fns, self.next_video_checkpoint = 0, [], 4

    def get_output_filename(self, suffix):
        """Returns the path of the video.

        Args:
            suffix: the file extension, such as `.mp4`.
        """
        name = os.path.splitext(self.video_filename)[0] if self.video_filename else "video"
        return os.path.join(self.directory, name + suffix)

    def get_frame_directory(self):
        """Returns the path of the folder with the pictures."""
        return self.frame_directory

    def write_frame(self, img):
        """Writes one picture.

        Args:
            img: as for `imwrite`; an odd last row or column is omitted, since videos need even sizes.
        """
        img = image.array(img, "write_frame")
        img = img[: img.shape[0] // 2 * 2, : img.shape[1] // 2 * 2]
        if self.post_processor:
            img = image.array(self.post_processor.process(img), "write_frame, for the result of post_processor.process,")
        if self.width is None:
            self.width, self.height = img.shape[:2]
        name = _PATTERN % self.frame_counter
        image.imwrite(img, os.path.join(self.frame_directory, name))
        self.frame_fns.append(name)
        self.frame_counter += 1
        if self.automatic_build and self.frame_counter == self.next_video_checkpoint:
            self.make_video()
            self.next_video_checkpoint *= 2

    def write_frames(self, images):
        """Writes pictures.

        Args:
            images: the pictures, as for `write_frame`.
        """
        for img in images:
            self.write_frame(img)

    def clean_frames(self):
        """Deletes the written pictures."""
        for name in self.frame_fns:
            os.remove(os.path.join(self.frame_directory, name))
        self.frame_fns = []

    def make_video(self, mp4=True, gif=True):
        """Makes a video of the pictures written so far.

        Args:
            mp4: whether to make an .mp4 file, which needs ffmpeg; if it is not installed, a message says so.
            gif: whether to make a .gif file, which needs Pillow.
        """
        if mp4:
            self._mp4()
        if gif:
            self._gif()

    def _mp4(self):
        if shutil.which("ffmpeg") is None:
            print("VideoManager: ffmpeg is not installed, so there is no .mp4")
            return
        pictures = os.path.join(self.frame_directory, _PATTERN)
        command = ["ffmpeg", "-loglevel", "error", "-y", "-framerate", str(self.framerate), "-i", pictures, "-s:v", f"{self.width}x{self.height}"]
        command += ["-c:v", "libx264", "-crf", "1", "-pix_fmt", "yuv420p", self.get_output_filename(".mp4")]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

    def _gif(self):
        if not self.frame_fns:
            return
        path = self.get_output_filename(".gif")
        pillow = image.pillow(path)
        frames = [pillow.open(os.path.join(self.frame_directory, name)).convert("P", palette=pillow.Palette.ADAPTIVE) for name in self.frame_fns]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=1000 / self.framerate, loop=0)
