"""Trains the network of `examples/mnist` on digits that it draws itself, and writes the example's two files.

- `examples/mnist/mnist.safetensors`: a perceptron of 784, 128 and 10 units: `fc1.weight` of float32 `[128, 784]`,
  `fc1.bias`, `fc2.weight` of `[10, 128]`, `fc2.bias`. Its input is ink from 0 to 1.
- `examples/mnist/digits.safetensors`: pictures that it was not trained on: `images` of uint8 `[20, 784]`, two of each
  digit, and `labels` of uint8 `[20]`.

    python train.py            # two minutes; needs numpy and safetensors
"""

import argparse
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

import drawing

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist"
HIDDEN, BATCH, RATE, DECAY = 128, 128, 2e-3, 1e-4


def forward(weights, x):
    hidden = np.maximum(x @ weights["fc1.weight"].T + weights["fc1.bias"], 0)
    return hidden, hidden @ weights["fc2.weight"].T + weights["fc2.bias"]


def gradients(weights, x, labels):
    """The gradient of the mean cross-entropy."""
    hidden, logits = forward(weights, x)
    error = np.exp(logits - logits.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ weights["fc2.weight"]) * (hidden > 0)
    return {"fc1.weight": back.T @ x, "fc1.bias": back.sum(axis=0), "fc2.weight": error.T @ hidden, "fc2.bias": error.sum(axis=0)}


def shifted(rng, x):
    """The pictures, each moved by up to two pixels."""
    images = x.reshape(-1, drawing.SIZE, drawing.SIZE)
    moves = rng.integers(-2, 3, (len(images), 2))
    return np.stack([np.roll(image, move, (0, 1)) for image, move in zip(images, moves)]).reshape(x.shape)


def train(x, labels, epochs, seed):
    """Weights after Adam with a rate that falls to zero."""
    rng = np.random.default_rng(seed)
    weights = {
        "fc1.weight": rng.normal(0, np.sqrt(2 / x.shape[1]), (HIDDEN, x.shape[1])),
        "fc1.bias": np.zeros(HIDDEN),
        "fc2.weight": rng.normal(0, np.sqrt(2 / HIDDEN), (10, HIDDEN)),
        "fc2.bias": np.zeros(10),
    }
    weights = {name: value.astype(np.float32) for name, value in weights.items()}
    first = {name: np.zeros_like(value) for name, value in weights.items()}
    second = {name: np.zeros_like(value) for name, value in weights.items()}
    steps = epochs * (len(x) // BATCH)
    step = 0
    for epoch in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - BATCH + 1, BATCH):
            step += 1
            batch = order[start : start + BATCH]
            rate = RATE * (1 - step / steps)
            for name, gradient in gradients(weights, shifted(rng, x[batch]), labels[batch]).items():
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                mean, square = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
                weights[name] -= (rate * (mean / (np.sqrt(square) + 1e-8) + DECAY * weights[name])).astype(np.float32)
        print(f"epoch {epoch + 1}: {accuracy(weights, x, labels):.4f} of the training pictures")
    return weights


def accuracy(weights, x, labels):
    return np.mean(forward(weights, x)[1].argmax(axis=1) == labels)


def samples(seed):
    """Two pictures of each digit."""
    rng = np.random.default_rng(seed)
    labels = np.tile(np.arange(10), 2)
    images = np.stack([drawing.draw(rng, digit).ravel() for digit in labels])
    return {"images": np.round(images * 255).astype(np.uint8), "labels": labels.astype(np.uint8)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30_000, help="pictures to train on")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    images, labels = drawing.many(options.seed, options.count)
    weights = train(images.astype(np.float32) / 255, labels, options.epochs, options.seed)
    images, labels = drawing.many(options.seed + 1, 3000)
    print(f"{accuracy(weights, images.astype(np.float32) / 255, labels):.4f} of 3000 new pictures")
    EXAMPLE.mkdir(parents=True, exist_ok=True)
    save_file(weights, EXAMPLE / "mnist.safetensors", {"format": "np"})
    save_file(samples(options.seed + 2), EXAMPLE / "digits.safetensors", {"format": "np"})
    for path in EXAMPLE.glob("*.safetensors"):
        path.chmod(0o644)
