"""Model types that read images or sound, or have no attention."""

from __future__ import annotations

from typing import Literal

Other = Literal["images", "sound", "no_attention"]
IMAGES = """
aimv2 beit blip blip-2 chinese_clip clip clip_vision_model clipseg convnext convnextv2 cvt
deformable_detr deit depth_anything detr dinov2 dinov2_with_registers dinov3_vit dpt groupvit
hiera ijepa mobilevit
owlv2 owlvit pvt resnet sam sam2 segformer siglip siglip2 siglip_vision_model swin swinv2
vision-encoder-decoder vit vit_mae vit_msn vitdet vitmatte xclip yolos
"""
SOUND = """
audio-spectrogram-transformer clap data2vec-audio encodec hubert mimi moonshine musicgen sew
speech_to_text speecht5 unispeech wav2vec2 wav2vec2-bert wav2vec2-conformer wavlm whisper
"""
NO_ATTENTION = "falcon_mamba hyena mamba mamba2 rwkv s4 xlstm"
OTHER_KINDS: dict[str, Other] = {
    **dict.fromkeys(IMAGES.split(), "images"),
    **dict.fromkeys(SOUND.split(), "sound"),
    **dict.fromkeys(NO_ATTENTION.split(), "no_attention"),
}
