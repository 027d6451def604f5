# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""Quadrants: data-parallel kernels in Python, compiled by a C++ core."""
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Concatenate, Generic, Literal, ParamSpec, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, overload
import numpy as np
_P = ParamSpec('_P')
_P2 = ParamSpec('_P2')
_R = TypeVar('_R')
_R2 = TypeVar('_R2')
_Rco = TypeVar('_Rco', covariant=True)
_S = TypeVar('_S')
_T = TypeVar('_T')
_N = TypeVar('_N', bound=float)
_M = TypeVar('_M', bound=Matrix)
_F = TypeVar('_F', bound=Callable[..., Any])
_C = TypeVar('_C', bound=type)
_Array: TypeAlias = np.ndarray[Any, Any]
_Type: TypeAlias = type[Any] | types.MatrixType | types.StructType | np.dtype[Any]
_Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Axes: TypeAlias = Sequence[Any]

class _Made(Protocol[_P, _Rco]):
    """What is made of a function with these parameters."""

    @property
    def fn(self) -> Callable[_P, _Rco]: ...

class _Gradient(Generic[_P]):
    """The kernel of the derivatives of a kernel, called with the same arguments."""

    def __getattr__(self, name: str, /) -> Any: ...

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> None: ...

class _Kernel(Generic[_P, _R]):
    """A kernel: called like the function that it is made of; `grad` is the kernel of its derivatives."""
    __name__: str

    @property
    def fn(self) -> Callable[_P, _R]: ...

    @property
    def __wrapped__(self) -> Callable[_P, _R]: ...

    def __getattr__(self, name: str, /) -> Any: ...

    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

    @overload
    def __call__(self, *args: Any, qd_stream: Stream | None, **kwargs: Any) -> _R: ...

    @property
    def grad(self) -> _Gradient[_P]: ...

    @overload
    def __get__(self, instance: None, owner: Any=None, /) -> Self: ...

    @overload
    def __get__(self: _Made[Concatenate[_S, _P2], _R2], instance: _S, owner: Any=None, /) -> _Kernel[_P2, _R2]: ...

    @overload
    def __get__(self, instance: Any, owner: Any=None, /) -> _Kernel[..., _R]: ...

@overload
def kernel(fn: Callable[_P, _R]) -> _Kernel[_P, _R]:
    """Compiles a function for parallel execution; called from Python like any function. fastcache (earlier: pure)
    promises that it reads nothing but its arguments, and has that checked. graph=True has it launched as one graph, which may
    hold qd.graph.do_while and qd.graph.parallel_context, and with checkpoints=True qd.checkpoint. ad_stack_budget_bytes goes before
    the option of qd.init in the kernel's gradient."""

@overload
def kernel(fn: None=None, *, pure: bool | None=None, fastcache: bool=False, graph: bool=False, checkpoints: Literal[True], ad_stack_budget_bytes: int | None=None) -> Callable[[Callable[_P, Any]], _Kernel[_P, GraphStatus]]:
    """Compiles a function for parallel execution; called from Python like any function. fastcache (earlier: pure)
    promises that it reads nothing but its arguments, and has that checked. graph=True has it launched as one graph, which may
    hold qd.graph.do_while and qd.graph.parallel_context, and with checkpoints=True qd.checkpoint. ad_stack_budget_bytes goes before
    the option of qd.init in the kernel's gradient."""

@overload
def kernel(fn: None=None, *, pure: bool | None=None, fastcache: bool=False, graph: bool=False, checkpoints: bool=False, ad_stack_budget_bytes: int | None=None) -> Callable[[Callable[_P, _R]], _Kernel[_P, _R]]:
    """Compiles a function for parallel execution; called from Python like any function. fastcache (earlier: pure)
    promises that it reads nothing but its arguments, and has that checked. graph=True has it launched as one graph, which may
    hold qd.graph.do_while and qd.graph.parallel_context, and with checkpoints=True qd.checkpoint. ad_stack_budget_bytes goes before
    the option of qd.init in the kernel's gradient."""

@overload
def func(fn: _F, *, is_real_function: bool=False, requires_top_level: bool=False) -> _F:
    """A function that kernels and other funcs may call."""

@overload
def func(fn: None=None, *, is_real_function: bool=False, requires_top_level: bool=False) -> Callable[[_F], _F]:
    """A function that kernels and other funcs may call."""

def real_func(fn: _F) -> _F:
    """A function that may return from inside of branches and loops; its parameters are typed."""

def pyfunc(fn: _F) -> _F:
    """A function usable in kernels and in Python."""

def pure(fn: _F) -> _F:
    """The earlier way to write @qd.kernel(fastcache=True)."""

@overload
def data_oriented(cls: _C, *, stable_members: bool=False, template_primitives: bool=True) -> _C:
    """Marks a class whose methods may be kernels and funcs. Numbers among the attributes of an instance are constants of
    its kernels; with template_primitives=False they are read at every launch. `stable_members` promises that no attribute
    is assigned again; nothing is made of it, since a launch compares its attributes in any case."""

@overload
def data_oriented(cls: None=None, *, stable_members: bool=False, template_primitives: bool=True) -> Callable[[_C], _C]:
    """Marks a class whose methods may be kernels and funcs. Numbers among the attributes of an instance are constants of
    its kernels; with template_primitives=False they are read at every launch. `stable_members` promises that no attribute
    is assigned again; nothing is made of it, since a launch compares its attributes in any case."""

def dataclass(cls: type[_T]) -> type[_StructOf[_T]]:
    """A class whose annotations are the members of a struct type; its functions become methods."""

def ref(tp: _Type) -> Any:
    """The type of a parameter that is passed by reference."""

class _StructOf(Generic[_T]):
    """A value of a struct class."""
    methods: ClassVar[dict[str, Any]]
    members: ClassVar[dict[str, Any]]

    def __init__(self, *args: Any, **members: Any) -> None: ...

    def __getattr__(self, name: str, /) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def __setitem__(self, name: str, value: Any, /) -> None: ...

    @classmethod
    def field(cls, shape: _Shape | None=None, layout: Layout | None=None, **keywords: Any) -> _FieldOf[_T]: ...

class _Implementations(Generic[_P, _R]):
    """A prototype; `@prototype.register` adds an implementation."""
    __name__: str

    @property
    def fn(self) -> Callable[_P, _R]: ...

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

    def __getattr__(self, name: str, /) -> Any: ...

    def register(self, kernel: Any=None, *, is_compatible: Callable[..., bool] | None=None) -> Any: ...

    @overload
    def __get__(self, instance: None, owner: Any=None, /) -> Self: ...

    @overload
    def __get__(self: _Made[Concatenate[_S, _P2], _R2], instance: _S, owner: Any=None, /) -> _Implementations[_P2, _R2]: ...

def perf_dispatch(*, get_geometry_hash: Callable[..., Any], first_warmup: int=1, warmup: int=0, active: int=1, repeat_after_count: int | None=None, repeat_after_seconds: float | None=None) -> Callable[[Callable[_P, _R]], _Implementations[_P, _R]]:
    """Decorates an empty prototype. Implementations are added with `@prototype.register`; they are timed for each value
    of `get_geometry_hash(*args)`, and the fastest is called from then on."""
u1: TypeAlias = int
'The type of truth values; as a function it converts.'
i8: TypeAlias = int
'Integers of 8 bits; as a function it converts and wraps.'
i16: TypeAlias = int
'Integers of 16 bits; as a function it converts and wraps.'
i32: TypeAlias = int
'Integers of 32 bits; as a function it converts and wraps.'
i64: TypeAlias = int
'Integers of 64 bits; as a function it converts and wraps.'
u8: TypeAlias = int
'Unsigned integers of 8 bits; as a function it converts and wraps.'
u16: TypeAlias = int
'Unsigned integers of 16 bits; as a function it converts and wraps.'
u32: TypeAlias = int
'Unsigned integers of 32 bits; as a function it converts and wraps.'
u64: TypeAlias = int
'Unsigned integers of 64 bits; as a function it converts and wraps.'
f16: TypeAlias = float
'Floats of 16 bits; as a function it converts and rounds.'
f32: TypeAlias = float
'Floats of 32 bits; as a function it converts and rounds.'
f64: TypeAlias = float
'Floats of 64 bits; as a function it converts and rounds.'
uint1 = u1
int8 = i8
int16 = i16
int32 = i32
int64 = i64
uint8 = u8
uint16 = u16
uint32 = u32
uint64 = u64
float16 = f16
float32 = f32
float64 = f64
Template: TypeAlias = Any
'Annotation of a parameter that is known at compile time: a field, a number, a func, any object.'

def template(element_type: Any=..., ndim: int | None=None) -> Any:
    """Annotation of a parameter that is known at compile time."""

def sparse_matrix_builder() -> Any:
    """Annotation of a parameter that takes a qd.linalg.SparseMatrixBuilder."""

def init(arch: _Arch | Sequence[_Arch] | str | None=None, default_fp: type[Any] | None=None, default_ip: type[Any] | None=None, _test_mode: bool=False, enable_fallback: bool=True, require_version: Any=None, print_non_pure: bool=False, src_ll_cache: bool=True, *, fast_math: bool=True, short_circuit_operators: bool=True, unrolling_limit: int=32, raise_on_templated_floats: bool=False, debug: bool=False, check_out_of_bound: bool=False, print_full_traceback: bool=False, gdb_trigger: bool=False, cpu_max_num_threads: int=0, make_cpu_multithreading_loop: bool=True, compile_tiers: bool=True, random_seed: int=0, offline_cache: bool=True, offline_cache_file_path: str='', offline_cache_max_size_of_files: int=104857600, offline_cache_cleaning_policy: str='lru', offline_cache_cleaning_factor: float=0.25, log_level: str='info', kernel_profiler: bool=False, timeline: bool=False, print_ir: bool=False, print_preprocessed_ir: bool=False, print_kernel_llvm_ir: bool=False, print_kernel_llvm_ir_optimized: bool=False, print_kernel_asm: bool=False, debug_dump_path: str='/tmp/ir/', cfg_optimization: bool=True, opt_level: int=1, advanced_optimization: bool=True, move_loop_invariant_outside_if: bool=False, cache_loop_invariant_global_vars: bool=True, demote_dense_struct_fors: bool=True, flatten_if: bool=False, make_thread_local: bool=True, make_block_local: bool=True, detect_read_only: bool=True, real_matrix_scalarize: bool=True, force_scalarize_matrix: bool=False, half2_vectorization: bool=False, simplify_before_lower_access: bool=True, lower_access: bool=True, simplify_after_lower_access: bool=True, use_llvm: bool=True, num_compile_threads: int=4, verbose: bool=True, verbose_kernel_launches: bool=False, print_accessor_ir: bool=False, print_ir_dbg_info: bool=False, print_struct_llvm_ir: bool=False, print_kernel_amdgcn: bool=False, default_cpu_block_dim: int=32, cpu_block_dim_adaptive: bool=True, default_gpu_block_dim: int=128, max_block_dim: int=0, saturating_grid_dim: int=0, gpu_max_reg: int=0, device_memory_GB: float=1.0, device_memory_fraction: float=0.0, cuda_stack_limit: int=0, vk_api_version: str='', external_metal_command_queue: int=0, external_metal_command_queue_is_torch_queue: bool=False, ad_stack_experimental_enabled: bool=False, ad_stack_size: int=0, ad_stack_budget_bytes: int=0, ad_stack_sparse_threshold_bytes: int=104857600, quant_opt_store_fusion: bool=True, quant_opt_atomic_demotion: bool=True, make_mesh_block_local: bool=True, optimize_mesh_reordered_mapping: bool=True, mesh_localize_to_end_mapping: bool=True, mesh_localize_from_end_mapping: bool=False, mesh_localize_all_attr_mappings: bool=False, demote_no_access_mesh_fors: bool=True, experimental_auto_mesh_local: bool=False, auto_mesh_local_default_occupacy: int=4) -> None:
    """Starts a program on `arch`; ends the one before. Options: see docs, each also as QD_<NAME> in the environment.
    
    Options:
        default_ip: type of integers that have none of their own: i32 or i64; 32 or 64 in the environment
        default_fp: type of reals that have none of their own: f16, f32 or f64; 32 or 64 in the environment
        fast_math: real arithmetic may be reordered and fused; off: as IEEE 754 says, the same on every processor
        short_circuit_operators: `and` and `or` leave their right side alone once the left one decides
        unrolling_limit: warn where more rounds than these are unrolled; 0: never
        raise_on_templated_floats: refuse floats that a kernel has as compile-time values
        debug: check indices, overflow, division and assertions while kernels run
        check_out_of_bound: check indices; `debug` implies it
        print_non_pure: tell of kernels that read what is not among their parameters
        print_full_traceback: errors without the places in the kernel that are shown else
        gdb_trigger: has no effect here; programs set it
        cpu_max_num_threads: threads that run loops; 0: one for each core that the process may use
        make_cpu_multithreading_loop: run parallel loops on several threads; off: in order, on one
        compile_tiers: begin with code that is made fast, go on with fast code once it is made
        random_seed: where qd.random begins
        offline_cache: keep compiled code on disk
        src_ll_cache: keep on disk what a kernel became, so that the next process neither parses nor lowers it
        offline_cache_file_path: the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants
        offline_cache_max_size_of_files: bytes over which files are removed
        offline_cache_cleaning_policy: which files go first: never, version, lru or fifo
        offline_cache_cleaning_factor: part of the files that goes when there are too many bytes
        log_level: messages below it are not shown: trace, debug, info, warn, error, critical, off
        kernel_profiler: measure every task: qd.profiler
        timeline: note when kernels are compiled and launched: qd.timeline_save
        print_ir: print the IR after every pass
        print_preprocessed_ir: print what the frontend makes of each kernel
        print_kernel_llvm_ir: print the LLVM IR of each kernel
        print_kernel_llvm_ir_optimized: the same
        print_kernel_asm: print the machine code of each kernel
        debug_dump_path: the folder that QD_DUMP_IR writes to
        ad_stack_experimental_enabled: stacks for reverse mode: loops within loops
        ad_stack_size: entries of each such stack, one more than the loop has iterations; 0: as many as needed
        ad_stack_budget_bytes: bytes that stacks may take on one thread: what has no room is worked out again; 0: all is kept"""

def reset() -> None:
    """Ends the running program: memory is freed, compiled kernels are dropped; arrays and fields of it are dead.
    
    KeyboardInterrupt: by Ctrl-C while it waits for launches; the program is over all the same."""

def sync() -> None:
    """Waits until everything launched is done."""

def is_extension_enabled(ext: extension) -> bool:
    """Whether the running architecture offers an extension."""

def is_logging_effective(level: str) -> bool:
    """Whether messages of `level` are shown."""

def set_logging_level(level: str) -> None:
    """Messages below `level` are not shown."""

def dump_compile_config() -> None:
    """Prints every option with its value."""

class Matrix:
    """A matrix of numbers. In a kernel it is a compile-time constant; arguments and results of kernels come as these."""

    @overload
    def __init__(self, arr: Any, dt: _Type | None=None, needs_grad: bool=False) -> None: ...

    @overload
    def __init__(self, *components: Any) -> None: ...
    a: Any

    def all(self) -> Any: ...

    def any(self) -> Any: ...
    b: Any

    def cast(self, dtype: type[Any]) -> Self: ...

    @staticmethod
    def cols(cols: Sequence[Any]) -> Matrix: ...

    def cross(self, other: Any) -> Any: ...

    def determinant(self) -> Any: ...

    @staticmethod
    def diag(dim: int, val: Any) -> Matrix: ...

    def dot(self, other: Any) -> Any: ...

    @classmethod
    @overload
    def field(cls, n: int, m: int, dtype: _Type | Sequence[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., ndim: int | None=None) -> _MatricesField:
        """A field of matrices; ndim=1: of vectors, m is 1."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
        """A field of matrices; ndim=1: of vectors, m is 1."""

    def fill(self, val: Any) -> None: ...

    def frobenius_inner(self, other: Any) -> Any: ...
    g: Any

    def get_shape(self) -> tuple[int, ...]: ...

    @staticmethod
    def identity(dt: type[Any], n: int) -> Matrix: ...

    def inverse(self) -> Self: ...

    def max(self) -> Any: ...

    def min(self) -> Any: ...

    @classmethod
    @overload
    def ndarray(cls, n: int, m: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray: ...

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray: ...

    def norm(self, eps: float=0) -> float: ...

    def norm_inv(self, eps: float=0) -> float: ...

    def norm_sqr(self) -> float: ...

    def normalized(self, eps: float=0) -> Self: ...

    @overload
    @staticmethod
    def one(dt: type[Any], n: int) -> Vector: ...

    @overload
    @staticmethod
    def one(dt: type[Any], n: int, m: int | None=None) -> Matrix: ...

    def outer_product(self, other: Any) -> Matrix: ...
    p: Any
    q: Any
    r: Any

    @staticmethod
    def rows(rows: Sequence[Any]) -> Matrix: ...
    s: Any

    def sum(self) -> Any: ...
    t: Any

    @classmethod
    def tensor(cls, n: int, m: int, dtype: _Type, shape: _Shape, **keywords: Any) -> MatrixTensor: ...

    def to_list(self) -> list[Any]: ...

    def to_numpy(self) -> _Array: ...

    def trace(self) -> Any: ...

    def transpose(self) -> Matrix: ...

    @staticmethod
    def unit(n: int, i: int, dt: type[Any] | None=None) -> Vector: ...
    w: Any
    x: Any
    y: Any
    z: Any

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int) -> Vector: ...

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int, m: int | None=None) -> Matrix: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...
    entries: Any
    n: int
    m: int

    def __getattr__(self, name: _Swizzle, /) -> Vector: ...

    def __setattr__(self, name: _Swizzle, value: Any, /) -> None: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def __add__(self, other: Any) -> Self: ...

    def __radd__(self, other: Any) -> Self: ...

    def __sub__(self, other: Any) -> Self: ...

    def __rsub__(self, other: Any) -> Self: ...

    def __mul__(self, other: Any) -> Self: ...

    def __rmul__(self, other: Any) -> Self: ...

    def __truediv__(self, other: Any) -> Self: ...

    def __rtruediv__(self, other: Any) -> Self: ...

    def __floordiv__(self, other: Any) -> Self: ...

    def __rfloordiv__(self, other: Any) -> Self: ...

    def __mod__(self, other: Any) -> Self: ...

    def __rmod__(self, other: Any) -> Self: ...

    def __pow__(self, other: Any) -> Self: ...

    def __rpow__(self, other: Any) -> Self: ...

    def __and__(self, other: Any) -> Self: ...

    def __rand__(self, other: Any) -> Self: ...

    def __or__(self, other: Any) -> Self: ...

    def __ror__(self, other: Any) -> Self: ...

    def __xor__(self, other: Any) -> Self: ...

    def __rxor__(self, other: Any) -> Self: ...

    def __lshift__(self, other: Any) -> Self: ...

    def __rlshift__(self, other: Any) -> Self: ...

    def __rshift__(self, other: Any) -> Self: ...

    def __rrshift__(self, other: Any) -> Self: ...

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...

    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...

    def __neg__(self) -> Self: ...

    def __pos__(self) -> Self: ...

    def __abs__(self) -> Self: ...

    def __invert__(self) -> Self: ...

    def __lt__(self, other: Any) -> Self: ...

    def __le__(self, other: Any) -> Self: ...

    def __gt__(self, other: Any) -> Self: ...

    def __ge__(self, other: Any) -> Self: ...

    def __eq__(self, other: Any) -> Any: ...

    def __ne__(self, other: Any) -> Any: ...

class Vector(Matrix):
    """A vector of numbers."""

    @overload
    def __init__(self, arr: Any, dt: _Type | None=None, **keywords: Any) -> None: ...

    @overload
    def __init__(self, *components: Any) -> None: ...

    @classmethod
    @overload
    def field(cls, n: int, dtype: _Type | Sequence[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
        """A field of vectors; the other arguments are those of Matrix.field."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
        """A field of vectors; the other arguments are those of Matrix.field."""

    @classmethod
    @overload
    def ndarray(cls, n: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> VectorNdarray: ...

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> VectorNdarray: ...

    @classmethod
    def tensor(cls, n: int, dtype: _Type, shape: _Shape, **keywords: Any) -> VectorTensor: ...

class Tensor:
    """A field or an ndarray. As the annotation of a kernel's parameter: either, or None."""

    def __init__(self, impl: Any) -> None: ...

    def copy_from(self, other: Any) -> None: ...
    dtype: Any

    def fill(self, value: Any) -> None: ...

    def from_numpy(self, arr: Any) -> None: ...

    def from_torch(self, arr: Any) -> None: ...

    @property
    def grad(self) -> Any:
        """Tensor of the gradients, or None."""

    def has_dual(self) -> bool: ...

    def has_grad(self) -> bool: ...
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any: ...

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array: ...

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any: ...

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class VectorTensor(Tensor):
    """A tensor of vectors."""
    element_shape: Any

    def __getitem__(self, key: Any, /) -> Vector: ...

class MatrixTensor(Tensor):
    """A tensor of matrices."""
    element_shape: Any

    def __getitem__(self, key: Any, /) -> Matrix: ...

class Field(Tensor):
    """Storage with an element type and a shape. In kernels `x[i, j]` reads and writes it."""

    def __init__(self, dtype: Any, name: Any, members: Any) -> None: ...

    def copy_from(self, other: Any) -> None:
        """Takes the values of a field of the same shape."""
    dtype: Any

    def fill(self, val: Any) -> None:
        """Every element becomes `val`; in a sparse tree, every element that is active."""

    def from_numpy(self, arr: Any) -> None:
        """Takes the values of a numpy array of the same shape; in a sparse tree, those of elements that are active."""

    def from_torch(self, arr: Any) -> None:
        """Takes the values of a torch tensor of the same shape."""

    def has_dual(self) -> bool: ...

    def has_grad(self) -> bool: ...
    layout: Any

    def parent(self, n: int=1) -> SNode:
        """The n-th level above the elements."""
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any:
        """A DLPack capsule on the memory of the field."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """A copy as a numpy array; vectors and matrices add axes at the end. copy=False: a view; None: if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """A torch tensor; `copy` as for to_numpy."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...
    grad: Any
    dual: Any
    name: str

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class ScalarField(Field):
    """Field of scalars."""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...
    grad: ScalarField
    dual: ScalarField

class MatrixField(Field):
    """Field of vectors or matrices."""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any, name: Any, members: Any, layout: Any) -> None: ...

    def get_scalar_field(self, *indices: int) -> ScalarField:
        """The field of one component."""

    def to_numpy(self, keep_dims: bool=False, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """As of a field; with keep_dims, vectors have a last axis of extent 1, as matrices of one column."""

    def to_torch(self, device: Any=None, keep_dims: Any=False, *, copy: Any=True) -> Any:
        """As of a field; keep_dims as for to_numpy."""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...
    n: int
    m: int
    grad: MatrixField
    dual: MatrixField

class _VectorsField(MatrixField):
    """Field of vectors."""
    grad: _VectorsField
    dual: _VectorsField

    def __getitem__(self, key: Any, /) -> Vector: ...

class _MatricesField(MatrixField):
    """Field of matrices."""
    grad: _MatricesField
    dual: _MatricesField

    def __getitem__(self, key: Any, /) -> Matrix: ...

class StructField:
    """Field of structs: one field per member, stored together (AOS) or apart (SOA)."""

    def __init__(self, struct_type: Any, fields: Any, layout: Any) -> None: ...

    def copy_from(self, other: Any) -> None: ...
    dtype: Any

    def fill(self, val: Any) -> None:
        """Every element becomes the struct or dict `val`, or every member the number `val`."""

    def from_numpy(self, array_dict: dict[str, Any]) -> None: ...

    def from_torch(self, array_dict: dict[str, Any]) -> None: ...

    def get_member_field(self, key: Any) -> Any:
        """The field of one member."""

    def has_dual(self) -> bool: ...

    def has_grad(self) -> bool: ...
    keys: list[str]
    layout: Any

    def parent(self, n: int=1) -> SNode: ...
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any: ...

    def to_numpy(self, *, copy: bool | None=True) -> dict[str, Any]:
        """dict: member -> numpy array; `copy` as for other fields."""

    def to_torch(self, device: Any=None, *, copy: bool | None=True) -> dict[str, Any]:
        """dict: member -> torch tensor; `copy` as for other fields."""
    grad: Any
    dual: Any

    def __getattr__(self, name: str, /) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class _FieldOf(StructField, Generic[_T]):
    """Field of the structs of one class."""

    def __getitem__(self, key: Any, /) -> _StructOf[_T]: ...

class Struct:
    """A record in Python scope: members by attribute or key. In a kernel `qd.Struct(a=1, b=v)` makes a struct value."""

    def __init__(self, *args: Any, **entries: Any) -> None: ...
    entries: dict[str, Any]

    @staticmethod
    def field(members: dict[str, Any], methods: dict[str, Any]=..., shape: _Shape | None=None, name: str='<Struct>', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., order: str | None=None) -> StructField:
        """A field of structs with these members."""
    items: Any
    keys: Any
    methods: dict[str, Any]

    def to_dict(self, include_methods: bool=False, include_ndim: bool=False) -> dict[str, Any]:
        """The members as a dict: structs as dicts, vectors and matrices as lists."""

    def __getattr__(self, name: str, /) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def __setitem__(self, name: str, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

class Ndarray(Tensor):
    """Contiguous array of scalars, vectors or matrices."""

    def copy_from(self, other: Any) -> None:
        """Copies an ndarray of the same shape and element type."""
    element_shape: tuple[int, ...]

    def fill(self, val: Any) -> None:
        """Every element becomes `val`."""

    def get_type(self) -> Any: ...

    def has_dual(self) -> bool: ...

    def has_grad(self) -> bool: ...
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any:
        """A DLPack capsule on the memory of the array."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...
    dtype: Any
    grad: Any
    dual: Any

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

class ScalarNdarray(Ndarray):
    """Array of scalars."""

    def __init__(self, dtype: Any, arr_shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any: ...

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor of the same shape."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """A copy; with copy=False a view of the memory, with copy=None a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """A torch tensor; `copy` as for to_numpy."""

    def __getitem__(self, key: Any) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: ScalarNdarray

class VectorNdarray(Ndarray):
    """Array of vectors."""

    def __init__(self, n: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any: ...

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor of the same shape."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """A copy; with copy=False a view of the memory, with copy=None a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """A torch tensor; `copy` as for to_numpy."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: VectorNdarray

    def __getitem__(self, key: Any, /) -> Vector: ...

class MatrixNdarray(Ndarray):
    """Array of matrices."""

    def __init__(self, n: Any, m: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any: ...

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor of the same shape."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """A copy; with copy=False a view of the memory, with copy=None a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """A torch tensor; `copy` as for to_numpy."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: MatrixNdarray

    def __getitem__(self, key: Any, /) -> Matrix: ...

@overload
def field(dtype: type[_StructOf[_T]], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> _FieldOf[_T]:
    """A field of scalars, or of the given vector, matrix or struct type. Without shape, place it in a tree."""

@overload
def field(dtype: type[Vector] | types._VectorType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
    """A field of scalars, or of the given vector, matrix or struct type. Without shape, place it in a tree."""

@overload
def field(dtype: type[Matrix] | types.MatrixType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
    """A field of scalars, or of the given vector, matrix or struct type. Without shape, place it in a tree."""

@overload
def field(dtype: types.StructType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> StructField:
    """A field of scalars, or of the given vector, matrix or struct type. Without shape, place it in a tree."""

@overload
def field(dtype: type[Any] | np.dtype[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False) -> ScalarField:
    """A field of scalars, or of the given vector, matrix or struct type. Without shape, place it in a tree."""

@overload
def ndarray(dtype: type[Vector] | types._VectorType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> VectorNdarray:
    """An array of `shape` with elements of a scalar, vector or matrix type, filled with zeros."""

@overload
def ndarray(dtype: type[Matrix] | types.MatrixType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> MatrixNdarray:
    """An array of `shape` with elements of a scalar, vector or matrix type, filled with zeros."""

@overload
def ndarray(dtype: type[Any] | np.dtype[Any], shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> ScalarNdarray:
    """An array of `shape` with elements of a scalar, vector or matrix type, filled with zeros."""

def tensor(dtype: _Type, shape: _Shape, *, backend: Backend=..., layout: Any=None, needs_grad: bool=False, **keywords: Any) -> Tensor:
    """A tensor of scalars, vectors or matrices in a field or in an ndarray."""

def wrap(impl: Any) -> Tensor:
    """The Tensor of a field or ndarray."""

class SNode:
    """A level of a tree: cells that hold further levels and field members."""

    def __init__(self, builder: Any, parent: Any, kind: Any, levels: Any, chunk: Any=0) -> None: ...

    def bitmasked(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level whose cells are all there, each marked as active or not."""

    def deactivate_all(self) -> None:
        """Deactivates every cell of this level and of those below."""

    def dense(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level of a fixed number of cells along `axes`."""

    def dynamic(self, axis: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """A level of variable length along one axis, at most `dimension`; memory comes in chunks."""

    def lazy_dual(self) -> None:
        """Places the duals of all fields of real numbers below this level beside them."""

    def lazy_grad(self) -> None:
        """Places the gradients of all fields of real numbers below this level beside them."""

    def parent(self, n: int=1) -> SNode:
        """The n-th level above; qd.root at the top, None beyond."""

    def place(self, *fields: Any, offset: _Shape | None=None) -> SNode:
        """Puts the members of `fields` into the cells of this level."""

    def pointer(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level whose cells get memory one by one, when they are written to or activated."""

    def quant_array(self, axes: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode:
        """A level whose cells, numbers of a quant type, share one word."""
    shape: tuple[int, ...]
    ptr: Any

    def __iter__(self) -> Iterator[Any]: ...

class _Root(SNode):
    """The root of the trees of fields."""

    def __getattr__(self, name: str, /) -> Any: ...
root: _Root
cfg: _Config

class FieldsBuilder:
    """A tree of its own beside qd.root."""

    def __init__(self) -> None: ...

    def bitmasked(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """A level below the root whose cells are marked as active or not."""

    def deactivate_all(self) -> None:
        """Deactivates every cell of the tree."""

    def dense(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """A level of a fixed number of cells below the root."""

    def dynamic(self, index: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """A level of variable length below the root."""

    def finalize(self, raise_warning: bool=True) -> Any:
        """Gives the tree its memory; the result can `destroy()` it."""

    def lazy_dual(self) -> Any: ...

    def lazy_grad(self) -> Any: ...

    def place(self, *args: Any, offset: _Shape | None=None) -> Any:
        """Puts fields without indices into the root."""

    def pointer(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """A level below the root whose cells get memory one by one."""

    def quant_array(self, indices: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode: ...

def axes(*numbers: int) -> list[Any]:
    """Axes by number: qd.axes(0, 1) is qd.ij."""

def deactivate_all_snodes() -> None:
    """Deactivates every cell of every tree."""

class Stream:
    """A queue of launches: `kernel(..., qd_stream=stream)`. As a context manager it is destroyed at the end."""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Gives back what it holds of the device. Doing so twice, or after qd.reset(), is nothing."""

    def synchronize(self) -> None:
        """Returns when what was launched before is done: at once on the CPU."""
    handle: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

class Event:
    """A point in the order of launches."""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Gives back what it holds of the device. Doing so twice, or after qd.reset(), is nothing."""

    def record(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """Marks the end of what was launched on the stream so far."""

    def synchronize(self) -> None:
        """Returns when what was launched before is done: at once on the CPU."""

    def wait(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """What is launched on the stream from now on begins after the event."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...
    handle: int

def checkpoint(cp_id: Any, yield_on: Any) -> _Block:
    """`with qd.checkpoint(cp_id, yield_on=flag):` in a kernel with checkpoints=True: what a launch ends after if the array
    `flag` is not 0 then, and where kernel.resume(..., from_checkpoint=cp_id) begins."""

def graph_do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel runs its body once, and again as long as the array `flag`, a parameter with
    one element of type i32, is not 0 after it. In Python it is True."""

def graph_parallel() -> _Block:
    """`with qd.graph.parallel():` in a kernel: one of the blocks of a qd.graph.parallel_context()."""

def graph_parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel holds blocks of qd.graph.parallel() that do not depend on each other."""

def create_stream() -> Stream:
    """A stream of the running program."""

def create_event() -> Event:
    """An event of the running program."""

def stream_parallel() -> _Block:
    """`with qd.stream_parallel():` in a kernel holds what may run beside the kernel's other blocks of this kind. On the CPU
    they run one after another; in Python the block runs as it stands."""

class GraphStatus:
    """What a launch of a kernel with qd.checkpoint blocks gives: whether one of them yielded, and its label."""

    def __init__(self, yielded: Any, checkpoint: Any) -> None: ...
    checkpoint: Any
    yielded: bool

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

class Mesh:
    """Makes meshes: `qd.Mesh.generate_meta(data)` describes one, `qd.Mesh._create_instance(metadata)` builds it."""

    @staticmethod
    def generate_meta(data: Any) -> Any:
        """Metadata from what a patcher gives, or from index arrays; see MeshMetadata."""

    @staticmethod
    def load_meta(filename: Any) -> Any:
        """Metadata from a file that a patcher wrote, in JSON."""

    @staticmethod
    def _create_instance(metadata: Any) -> MeshInstance: ...

class MeshInstance:
    """A mesh: `verts`, `edges`, `faces`, `cells`."""

    def __init__(self, metadata: Any) -> None: ...

    def get_position_as_numpy(self) -> _Array:
        """Positions of the vertices as the metadata gives them, one row each."""
    verts: Any
    edges: Any
    faces: Any
    cells: Any

    def __getattr__(self, name: str, /) -> Any: ...

class BitpackedFields:
    """Fields of quant types that share the bits of one word; `place` it in a level like a field."""

    def __init__(self, max_num_bits: Any) -> None: ...

    def place(self, *args: Any, shared_exponent: bool=False) -> None:
        """Gives the next bits of the word to these fields, which may have one exponent for all."""

class BufferView:
    """`size` elements of `arr` from `offset` on."""

    def __init__(self, arr: Any, offset: Any, size: Any) -> None: ...
    boundary: str
    element: Any

    def get_ndarray(self) -> Any: ...
    shape: Any

    def subview(self, offset: int, size: int) -> BufferView:
        """`size` elements from the `offset`-th of this view on."""

    def __class_getitem__(cls, dtype: Any) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __getattr__(self, name: str, /) -> Any: ...

def grouped(x: Any) -> Iterable[Vector]:
    """Iterates with the indices as one vector."""

class _Ranges:
    """A product of ranges."""
    axes: Any

    def __iter__(self) -> Iterator[Any]: ...

    def grouped(self) -> Iterable[Vector]: ...

def ndrange(*args: Any, axes: Any=None) -> _Ranges:
    """The product of ranges: each argument is an extent or (begin, end)."""

@overload
def static(x: _T) -> _T:
    """Compile-time evaluation in kernels; the value itself in Python."""

@overload
def static(x: Any, *xs: Any) -> tuple[Any, ...]:
    """Compile-time evaluation in kernels; the value itself in Python."""

def static_assert(cond: Any, msg: str | None=None) -> None:
    """Fails the compilation if `cond` is false."""

def static_print(*args: Any, **kwargs: Any) -> None:
    """static_print: for kernels and funcs."""

def loop_config(*, block_dim: int | None=None, serialize: bool=False, parallelize: int | None=None, block_dim_adaptive: bool=True, bit_vectorize: bool=False, name: str | None=None) -> None:
    """loop_config: for kernels and funcs."""

def assume_in_range(val: _T, base: Any, low: Any, high: Any) -> _T:
    """assume_in_range: for kernels and funcs."""

@overload
def cast(obj: _M, dtype: type[Any]) -> _M:
    """`obj` converted to `dtype`."""

@overload
def cast(obj: Any, dtype: type[_N]) -> _N:
    """`obj` converted to `dtype`."""

def bit_cast(obj: Any, dtype: type[_T]) -> _T:
    """The bits of `obj` read as `dtype`; in kernels."""

def zero(x: _T) -> _T:
    """0 of the type of x."""

def one(x: _T) -> _T:
    """1 of the type of x."""

def stop_grad(x: _T) -> _T:
    """stop_grad: for kernels and funcs."""

def volatile_load(target: _T) -> _T:
    """volatile_load: for kernels and funcs."""

@overload
def random(dtype: type[_N]) -> _N:
    """A uniform number: floats in [0, 1), integers over their range."""

@overload
def random() -> float:
    """A uniform number: floats in [0, 1), integers over their range."""

def randn(dt: type[Any] | None=None) -> float:
    """A normally distributed number."""

@overload
def sin(x: _M) -> _M:
    """sin of numbers, vectors or matrices, elementwise."""

@overload
def sin(x: float) -> float:
    """sin of numbers, vectors or matrices, elementwise."""

@overload
def cos(x: _M) -> _M:
    """cos of numbers, vectors or matrices, elementwise."""

@overload
def cos(x: float) -> float:
    """cos of numbers, vectors or matrices, elementwise."""

@overload
def tan(x: _M) -> _M:
    """tan of numbers, vectors or matrices, elementwise."""

@overload
def tan(x: float) -> float:
    """tan of numbers, vectors or matrices, elementwise."""

@overload
def asin(x: _M) -> _M:
    """asin of numbers, vectors or matrices, elementwise."""

@overload
def asin(x: float) -> float:
    """asin of numbers, vectors or matrices, elementwise."""

@overload
def acos(x: _M) -> _M:
    """acos of numbers, vectors or matrices, elementwise."""

@overload
def acos(x: float) -> float:
    """acos of numbers, vectors or matrices, elementwise."""

@overload
def tanh(x: _M) -> _M:
    """tanh of numbers, vectors or matrices, elementwise."""

@overload
def tanh(x: float) -> float:
    """tanh of numbers, vectors or matrices, elementwise."""

@overload
def exp(x: _M) -> _M:
    """exp of numbers, vectors or matrices, elementwise."""

@overload
def exp(x: float) -> float:
    """exp of numbers, vectors or matrices, elementwise."""

@overload
def log(x: _M) -> _M:
    """log of numbers, vectors or matrices, elementwise."""

@overload
def log(x: float) -> float:
    """log of numbers, vectors or matrices, elementwise."""

@overload
def sqrt(x: _M) -> _M:
    """sqrt of numbers, vectors or matrices, elementwise."""

@overload
def sqrt(x: float) -> float:
    """sqrt of numbers, vectors or matrices, elementwise."""

@overload
def rsqrt(x: _M) -> _M:
    """rsqrt of numbers, vectors or matrices, elementwise."""

@overload
def rsqrt(x: float) -> float:
    """rsqrt of numbers, vectors or matrices, elementwise."""

def abs(x: _T) -> _T:
    """abs of numbers, vectors or matrices, elementwise."""

@overload
def floor(x: _T, dtype: None=None) -> _T:
    """floor of x; with dtype, converted to it."""

@overload
def floor(x: _M, dtype: type[Any] | None=None) -> _M:
    """floor of x; with dtype, converted to it."""

@overload
def floor(x: float, dtype: type[_N]) -> _N:
    """floor of x; with dtype, converted to it."""

@overload
def ceil(x: _T, dtype: None=None) -> _T:
    """ceil of x; with dtype, converted to it."""

@overload
def ceil(x: _M, dtype: type[Any] | None=None) -> _M:
    """ceil of x; with dtype, converted to it."""

@overload
def ceil(x: float, dtype: type[_N]) -> _N:
    """ceil of x; with dtype, converted to it."""

@overload
def round(x: _T, dtype: None=None) -> _T:
    """round of x; with dtype, converted to it."""

@overload
def round(x: _M, dtype: type[Any] | None=None) -> _M:
    """round of x; with dtype, converted to it."""

@overload
def round(x: float, dtype: type[_N]) -> _N:
    """round of x; with dtype, converted to it."""

def activate(node: Any, indices: Any) -> None:
    """activate: for kernels and funcs."""

def deactivate(node: Any, indices: Any) -> None:
    """deactivate: for kernels and funcs."""

def append(node: Any, indices: Any, val: Any) -> int:
    """append: for kernels and funcs."""

def length(node: Any, indices: Any) -> int:
    """length: for kernels and funcs."""

def clock_freq_hz() -> float:
    """Steps a second of the counter that qd.clock_counter() reads in kernels."""

def clock_counter() -> int:
    """clock_counter: for kernels and funcs."""

def global_thread_idx() -> int:
    """global_thread_idx: for kernels and funcs."""

def svd(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix, Matrix]:
    """Singular values of a 2x2 or 3x3 matrix: (U, S, V), A = U S V^T, S diagonal and descending."""

def sym_eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Vector, Matrix]:
    """Eigenvalues, ascending, and eigenvectors, as columns, of a symmetric matrix of 2 to 6 rows."""

def eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """Eigenvalues of a 2x2 matrix as rows (real, imaginary), and eigenvectors: columns of such pairs, one below another."""

def polar_decompose(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """(U, P) with A = U P, U orthogonal and P symmetric, of a 2x2 or 3x3 matrix."""

def make_spd(A: Matrix, dt: type[Any] | None=None) -> Matrix:
    """The nearest positive semidefinite matrix of a symmetric one of 2 to 6 rows."""

def solve(A: Matrix, b: Vector, dt: type[Any] | None=None) -> Vector:
    """x with A x = b, for 2x2 and 3x3 matrices."""
_Swizzle: TypeAlias = Literal['xx', 'xy', 'xz', 'xw', 'yx', 'yy', 'yz', 'yw', 'zx', 'zy', 'zz', 'zw', 'wx', 'wy', 'wz', 'ww', 'xxx', 'xxy', 'xxz', 'xxw', 'xyx', 'xyy', 'xyz', 'xyw', 'xzx', 'xzy', 'xzz', 'xzw', 'xwx', 'xwy', 'xwz', 'xww', 'yxx', 'yxy', 'yxz', 'yxw', 'yyx', 'yyy', 'yyz', 'yyw', 'yzx', 'yzy', 'yzz', 'yzw', 'ywx', 'ywy', 'ywz', 'yww', 'zxx', 'zxy', 'zxz', 'zxw', 'zyx', 'zyy', 'zyz', 'zyw', 'zzx', 'zzy', 'zzz', 'zzw', 'zwx', 'zwy', 'zwz', 'zww', 'wxx', 'wxy', 'wxz', 'wxw', 'wyx', 'wyy', 'wyz', 'wyw', 'wzx', 'wzy', 'wzz', 'wzw', 'wwx', 'wwy', 'wwz', 'www', 'xxxx', 'xxxy', 'xxxz', 'xxxw', 'xxyx', 'xxyy', 'xxyz', 'xxyw', 'xxzx', 'xxzy', 'xxzz', 'xxzw', 'xxwx', 'xxwy', 'xxwz', 'xxww', 'xyxx', 'xyxy', 'xyxz', 'xyxw', 'xyyx', 'xyyy', 'xyyz', 'xyyw', 'xyzx', 'xyzy', 'xyzz', 'xyzw', 'xywx', 'xywy', 'xywz', 'xyww', 'xzxx', 'xzxy', 'xzxz', 'xzxw', 'xzyx', 'xzyy', 'xzyz', 'xzyw', 'xzzx', 'xzzy', 'xzzz', 'xzzw', 'xzwx', 'xzwy', 'xzwz', 'xzww', 'xwxx', 'xwxy', 'xwxz', 'xwxw', 'xwyx', 'xwyy', 'xwyz', 'xwyw', 'xwzx', 'xwzy', 'xwzz', 'xwzw', 'xwwx', 'xwwy', 'xwwz', 'xwww', 'yxxx', 'yxxy', 'yxxz', 'yxxw', 'yxyx', 'yxyy', 'yxyz', 'yxyw', 'yxzx', 'yxzy', 'yxzz', 'yxzw', 'yxwx', 'yxwy', 'yxwz', 'yxww', 'yyxx', 'yyxy', 'yyxz', 'yyxw', 'yyyx', 'yyyy', 'yyyz', 'yyyw', 'yyzx', 'yyzy', 'yyzz', 'yyzw', 'yywx', 'yywy', 'yywz', 'yyww', 'yzxx', 'yzxy', 'yzxz', 'yzxw', 'yzyx', 'yzyy', 'yzyz', 'yzyw', 'yzzx', 'yzzy', 'yzzz', 'yzzw', 'yzwx', 'yzwy', 'yzwz', 'yzww', 'ywxx', 'ywxy', 'ywxz', 'ywxw', 'ywyx', 'ywyy', 'ywyz', 'ywyw', 'ywzx', 'ywzy', 'ywzz', 'ywzw', 'ywwx', 'ywwy', 'ywwz', 'ywww', 'zxxx', 'zxxy', 'zxxz', 'zxxw', 'zxyx', 'zxyy', 'zxyz', 'zxyw', 'zxzx', 'zxzy', 'zxzz', 'zxzw', 'zxwx', 'zxwy', 'zxwz', 'zxww', 'zyxx', 'zyxy', 'zyxz', 'zyxw', 'zyyx', 'zyyy', 'zyyz', 'zyyw', 'zyzx', 'zyzy', 'zyzz', 'zyzw', 'zywx', 'zywy', 'zywz', 'zyww', 'zzxx', 'zzxy', 'zzxz', 'zzxw', 'zzyx', 'zzyy', 'zzyz', 'zzyw', 'zzzx', 'zzzy', 'zzzz', 'zzzw', 'zzwx', 'zzwy', 'zzwz', 'zzww', 'zwxx', 'zwxy', 'zwxz', 'zwxw', 'zwyx', 'zwyy', 'zwyz', 'zwyw', 'zwzx', 'zwzy', 'zwzz', 'zwzw', 'zwwx', 'zwwy', 'zwwz', 'zwww', 'wxxx', 'wxxy', 'wxxz', 'wxxw', 'wxyx', 'wxyy', 'wxyz', 'wxyw', 'wxzx', 'wxzy', 'wxzz', 'wxzw', 'wxwx', 'wxwy', 'wxwz', 'wxww', 'wyxx', 'wyxy', 'wyxz', 'wyxw', 'wyyx', 'wyyy', 'wyyz', 'wyyw', 'wyzx', 'wyzy', 'wyzz', 'wyzw', 'wywx', 'wywy', 'wywz', 'wyww', 'wzxx', 'wzxy', 'wzxz', 'wzxw', 'wzyx', 'wzyy', 'wzyz', 'wzyw', 'wzzx', 'wzzy', 'wzzz', 'wzzw', 'wzwx', 'wzwy', 'wzwz', 'wzww', 'wwxx', 'wwxy', 'wwxz', 'wwxw', 'wwyx', 'wwyy', 'wwyz', 'wwyw', 'wwzx', 'wwzy', 'wwzz', 'wwzw', 'wwwx', 'wwwy', 'wwwz', 'wwww', 'rr', 'rg', 'rb', 'ra', 'gr', 'gg', 'gb', 'ga', 'br', 'bg', 'bb', 'ba', 'ar', 'ag', 'ab', 'aa', 'rrr', 'rrg', 'rrb', 'rra', 'rgr', 'rgg', 'rgb', 'rga', 'rbr', 'rbg', 'rbb', 'rba', 'rar', 'rag', 'rab', 'raa', 'grr', 'grg', 'grb', 'gra', 'ggr', 'ggg', 'ggb', 'gga', 'gbr', 'gbg', 'gbb', 'gba', 'gar', 'gag', 'gab', 'gaa', 'brr', 'brg', 'brb', 'bra', 'bgr', 'bgg', 'bgb', 'bga', 'bbr', 'bbg', 'bbb', 'bba', 'bar', 'bag', 'bab', 'baa', 'arr', 'arg', 'arb', 'ara', 'agr', 'agg', 'agb', 'aga', 'abr', 'abg', 'abb', 'aba', 'aar', 'aag', 'aab', 'aaa', 'rrrr', 'rrrg', 'rrrb', 'rrra', 'rrgr', 'rrgg', 'rrgb', 'rrga', 'rrbr', 'rrbg', 'rrbb', 'rrba', 'rrar', 'rrag', 'rrab', 'rraa', 'rgrr', 'rgrg', 'rgrb', 'rgra', 'rggr', 'rggg', 'rggb', 'rgga', 'rgbr', 'rgbg', 'rgbb', 'rgba', 'rgar', 'rgag', 'rgab', 'rgaa', 'rbrr', 'rbrg', 'rbrb', 'rbra', 'rbgr', 'rbgg', 'rbgb', 'rbga', 'rbbr', 'rbbg', 'rbbb', 'rbba', 'rbar', 'rbag', 'rbab', 'rbaa', 'rarr', 'rarg', 'rarb', 'rara', 'ragr', 'ragg', 'ragb', 'raga', 'rabr', 'rabg', 'rabb', 'raba', 'raar', 'raag', 'raab', 'raaa', 'grrr', 'grrg', 'grrb', 'grra', 'grgr', 'grgg', 'grgb', 'grga', 'grbr', 'grbg', 'grbb', 'grba', 'grar', 'grag', 'grab', 'graa', 'ggrr', 'ggrg', 'ggrb', 'ggra', 'gggr', 'gggg', 'gggb', 'ggga', 'ggbr', 'ggbg', 'ggbb', 'ggba', 'ggar', 'ggag', 'ggab', 'ggaa', 'gbrr', 'gbrg', 'gbrb', 'gbra', 'gbgr', 'gbgg', 'gbgb', 'gbga', 'gbbr', 'gbbg', 'gbbb', 'gbba', 'gbar', 'gbag', 'gbab', 'gbaa', 'garr', 'garg', 'garb', 'gara', 'gagr', 'gagg', 'gagb', 'gaga', 'gabr', 'gabg', 'gabb', 'gaba', 'gaar', 'gaag', 'gaab', 'gaaa', 'brrr', 'brrg', 'brrb', 'brra', 'brgr', 'brgg', 'brgb', 'brga', 'brbr', 'brbg', 'brbb', 'brba', 'brar', 'brag', 'brab', 'braa', 'bgrr', 'bgrg', 'bgrb', 'bgra', 'bggr', 'bggg', 'bggb', 'bgga', 'bgbr', 'bgbg', 'bgbb', 'bgba', 'bgar', 'bgag', 'bgab', 'bgaa', 'bbrr', 'bbrg', 'bbrb', 'bbra', 'bbgr', 'bbgg', 'bbgb', 'bbga', 'bbbr', 'bbbg', 'bbbb', 'bbba', 'bbar', 'bbag', 'bbab', 'bbaa', 'barr', 'barg', 'barb', 'bara', 'bagr', 'bagg', 'bagb', 'baga', 'babr', 'babg', 'babb', 'baba', 'baar', 'baag', 'baab', 'baaa', 'arrr', 'arrg', 'arrb', 'arra', 'argr', 'argg', 'argb', 'arga', 'arbr', 'arbg', 'arbb', 'arba', 'arar', 'arag', 'arab', 'araa', 'agrr', 'agrg', 'agrb', 'agra', 'aggr', 'aggg', 'aggb', 'agga', 'agbr', 'agbg', 'agbb', 'agba', 'agar', 'agag', 'agab', 'agaa', 'abrr', 'abrg', 'abrb', 'abra', 'abgr', 'abgg', 'abgb', 'abga', 'abbr', 'abbg', 'abbb', 'abba', 'abar', 'abag', 'abab', 'abaa', 'aarr', 'aarg', 'aarb', 'aara', 'aagr', 'aagg', 'aagb', 'aaga', 'aabr', 'aabg', 'aabb', 'aaba', 'aaar', 'aaag', 'aaab', 'aaaa', 'ss', 'st', 'sp', 'sq', 'ts', 'tt', 'tp', 'tq', 'ps', 'pt', 'pp', 'pq', 'qs', 'qt', 'qp', 'qq', 'sss', 'sst', 'ssp', 'ssq', 'sts', 'stt', 'stp', 'stq', 'sps', 'spt', 'spp', 'spq', 'sqs', 'sqt', 'sqp', 'sqq', 'tss', 'tst', 'tsp', 'tsq', 'tts', 'ttt', 'ttp', 'ttq', 'tps', 'tpt', 'tpp', 'tpq', 'tqs', 'tqt', 'tqp', 'tqq', 'pss', 'pst', 'psp', 'psq', 'pts', 'ptt', 'ptp', 'ptq', 'pps', 'ppt', 'ppp', 'ppq', 'pqs', 'pqt', 'pqp', 'pqq', 'qss', 'qst', 'qsp', 'qsq', 'qts', 'qtt', 'qtp', 'qtq', 'qps', 'qpt', 'qpp', 'qpq', 'qqs', 'qqt', 'qqp', 'qqq', 'ssss', 'ssst', 'sssp', 'sssq', 'ssts', 'sstt', 'sstp', 'sstq', 'ssps', 'sspt', 'sspp', 'sspq', 'ssqs', 'ssqt', 'ssqp', 'ssqq', 'stss', 'stst', 'stsp', 'stsq', 'stts', 'sttt', 'sttp', 'sttq', 'stps', 'stpt', 'stpp', 'stpq', 'stqs', 'stqt', 'stqp', 'stqq', 'spss', 'spst', 'spsp', 'spsq', 'spts', 'sptt', 'sptp', 'sptq', 'spps', 'sppt', 'sppp', 'sppq', 'spqs', 'spqt', 'spqp', 'spqq', 'sqss', 'sqst', 'sqsp', 'sqsq', 'sqts', 'sqtt', 'sqtp', 'sqtq', 'sqps', 'sqpt', 'sqpp', 'sqpq', 'sqqs', 'sqqt', 'sqqp', 'sqqq', 'tsss', 'tsst', 'tssp', 'tssq', 'tsts', 'tstt', 'tstp', 'tstq', 'tsps', 'tspt', 'tspp', 'tspq', 'tsqs', 'tsqt', 'tsqp', 'tsqq', 'ttss', 'ttst', 'ttsp', 'ttsq', 'ttts', 'tttt', 'tttp', 'tttq', 'ttps', 'ttpt', 'ttpp', 'ttpq', 'ttqs', 'ttqt', 'ttqp', 'ttqq', 'tpss', 'tpst', 'tpsp', 'tpsq', 'tpts', 'tptt', 'tptp', 'tptq', 'tpps', 'tppt', 'tppp', 'tppq', 'tpqs', 'tpqt', 'tpqp', 'tpqq', 'tqss', 'tqst', 'tqsp', 'tqsq', 'tqts', 'tqtt', 'tqtp', 'tqtq', 'tqps', 'tqpt', 'tqpp', 'tqpq', 'tqqs', 'tqqt', 'tqqp', 'tqqq', 'psss', 'psst', 'pssp', 'pssq', 'psts', 'pstt', 'pstp', 'pstq', 'psps', 'pspt', 'pspp', 'pspq', 'psqs', 'psqt', 'psqp', 'psqq', 'ptss', 'ptst', 'ptsp', 'ptsq', 'ptts', 'pttt', 'pttp', 'pttq', 'ptps', 'ptpt', 'ptpp', 'ptpq', 'ptqs', 'ptqt', 'ptqp', 'ptqq', 'ppss', 'ppst', 'ppsp', 'ppsq', 'ppts', 'pptt', 'pptp', 'pptq', 'ppps', 'pppt', 'pppp', 'pppq', 'ppqs', 'ppqt', 'ppqp', 'ppqq', 'pqss', 'pqst', 'pqsp', 'pqsq', 'pqts', 'pqtt', 'pqtp', 'pqtq', 'pqps', 'pqpt', 'pqpp', 'pqpq', 'pqqs', 'pqqt', 'pqqp', 'pqqq', 'qsss', 'qsst', 'qssp', 'qssq', 'qsts', 'qstt', 'qstp', 'qstq', 'qsps', 'qspt', 'qspp', 'qspq', 'qsqs', 'qsqt', 'qsqp', 'qsqq', 'qtss', 'qtst', 'qtsp', 'qtsq', 'qtts', 'qttt', 'qttp', 'qttq', 'qtps', 'qtpt', 'qtpp', 'qtpq', 'qtqs', 'qtqt', 'qtqp', 'qtqq', 'qpss', 'qpst', 'qpsp', 'qpsq', 'qpts', 'qptt', 'qptp', 'qptq', 'qpps', 'qppt', 'qppp', 'qppq', 'qpqs', 'qpqt', 'qpqp', 'qpqq', 'qqss', 'qqst', 'qqsp', 'qqsq', 'qqts', 'qqtt', 'qqtp', 'qqtq', 'qqps', 'qqpt', 'qqpp', 'qqpq', 'qqqs', 'qqqt', 'qqqp', 'qqqq']

class _Config:
    """The live options."""
    arch: Any
    default_ip: type[Any]
    'type of integers that have none of their own: i32 or i64; 32 or 64 in the environment'
    default_fp: type[Any]
    'type of reals that have none of their own: f16, f32 or f64; 32 or 64 in the environment'
    fast_math: bool
    'real arithmetic may be reordered and fused; off: as IEEE 754 says, the same on every processor'
    raise_on_templated_floats: bool
    'refuse floats that a kernel has as compile-time values'
    debug: bool
    'check indices, overflow, division and assertions while kernels run'
    check_out_of_bound: bool
    'check indices; `debug` implies it'
    cpu_max_num_threads: int
    'threads that run loops; 0: one for each core that the process may use'
    make_cpu_multithreading_loop: bool
    'run parallel loops on several threads; off: in order, on one'
    compile_tiers: bool
    'begin with code that is made fast, go on with fast code once it is made'
    random_seed: int
    'where qd.random begins'
    offline_cache: bool
    'keep compiled code on disk'
    offline_cache_file_path: str
    'the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants'
    offline_cache_max_size_of_files: int
    'bytes over which files are removed'
    offline_cache_cleaning_policy: str
    'which files go first: never, version, lru or fifo'
    offline_cache_cleaning_factor: float
    'part of the files that goes when there are too many bytes'
    kernel_profiler: bool
    'measure every task: qd.profiler'
    timeline: bool
    'note when kernels are compiled and launched: qd.timeline_save'
    print_ir: bool
    'print the IR after every pass'
    print_preprocessed_ir: bool
    'print what the frontend makes of each kernel'
    print_kernel_llvm_ir: bool
    'print the LLVM IR of each kernel'
    print_kernel_llvm_ir_optimized: bool
    'the same'
    print_kernel_asm: bool
    'print the machine code of each kernel'
    debug_dump_path: str
    'the folder that QD_DUMP_IR writes to'
    cfg_optimization: bool
    'optimise over the control flow graph'
    opt_level: int
    '0: fewer passes'
    advanced_optimization: bool
    'algebraic simplification'
    move_loop_invariant_outside_if: bool
    'hoist out of branches'
    cache_loop_invariant_global_vars: bool
    'hoist loads and stores out of loops'
    demote_dense_struct_fors: bool
    'loops over dense fields become loops over numbers'
    flatten_if: bool
    'branches become selections'
    make_thread_local: bool
    'sums of a thread in registers'
    make_block_local: bool
    'parts of fields in the memory of a block'
    detect_read_only: bool
    'loads of what is only read go through another cache'
    real_matrix_scalarize: bool
    'when matrices become scalars'
    force_scalarize_matrix: bool
    'when matrices become scalars'
    half2_vectorization: bool
    'pairs of f16 in atomics'
    simplify_before_lower_access: bool
    'passes around the lowering of accesses'
    lower_access: bool
    'passes around the lowering of accesses'
    simplify_after_lower_access: bool
    'passes around the lowering of accesses'
    use_llvm: bool
    'the code generator'
    num_compile_threads: int
    'threads that compile'
    verbose: bool
    'passes tell what they do'
    verbose_kernel_launches: bool
    'launches are told'
    print_accessor_ir: bool
    'IR of kernels that read and write elements'
    print_ir_dbg_info: bool
    'places of the source in printed IR'
    print_struct_llvm_ir: bool
    'LLVM IR of trees'
    print_kernel_amdgcn: bool
    'machine code of AMD GPUs'
    default_cpu_block_dim: int
    'rounds of a loop that a CPU thread takes at once'
    cpu_block_dim_adaptive: bool
    'these rounds follow the length of the loop'
    default_gpu_block_dim: int
    'threads of a block of a GPU'
    max_block_dim: int
    'most threads of a block; 0: as the device says'
    saturating_grid_dim: int
    'blocks that fill the device; 0: as the device says'
    gpu_max_reg: int
    'registers of a thread of a GPU'
    device_memory_GB: float
    'memory that a GPU sets aside'
    device_memory_fraction: float
    'the same as a part of what there is; over 0 it goes first'
    cuda_stack_limit: int
    'bytes of stack of a thread'
    vk_api_version: str
    'version of Vulkan'
    external_metal_command_queue: int
    'a queue of Metal to use, as a pointer'
    external_metal_command_queue_is_torch_queue: bool
    'this queue is that of torch'
    ad_stack_experimental_enabled: bool
    'stacks for reverse mode: loops within loops'
    ad_stack_size: int
    'entries of each such stack, one more than the loop has iterations; 0: as many as needed'
    ad_stack_budget_bytes: int
    'bytes that stacks may take on one thread: what has no room is worked out again; 0: all is kept'
    ad_stack_sparse_threshold_bytes: int
    'size of a stack from which it is captured under a condition'
    quant_opt_store_fusion: bool
    'stores to one word of a bit structure at once'
    quant_opt_atomic_demotion: bool
    'atomics of bit structures become plain where one thread writes'
    make_mesh_block_local: bool
    'attributes of meshes in the memory of a block'
    optimize_mesh_reordered_mapping: bool
    'numbers of mesh elements in order'
    mesh_localize_to_end_mapping: bool
    'numbers of mesh elements in the memory of a block'
    mesh_localize_from_end_mapping: bool
    'numbers of mesh elements in the memory of a block'
    mesh_localize_all_attr_mappings: bool
    'numbers of mesh elements in the memory of a block'
    demote_no_access_mesh_fors: bool
    'loops over meshes that touch no attribute become loops over numbers'
    experimental_auto_mesh_local: bool
    'choose what to keep in the memory of a block'
    auto_mesh_local_default_occupacy: int
    'blocks for which that memory must do'

    @property
    def default_up(self) -> type[Any]: ...

class _Arch(enum.IntEnum):
    x64 = 0
    arm64 = 1
    js = 2
    python = 3
    cuda = 4
    metal = 5
    opencl = 6
    amdgpu = 7
    vulkan = 8
    interp = 9
    far = 10
    null = 11

class Backend(enum.IntEnum):
    """What stores a tensor."""
    FIELD = 0
    NDARRAY = 1
CRITICAL: str
DEBUG: str

class DeviceCapability(enum.IntEnum):
    reserved = 0
    spirv_version = 1
    spirv_has_int8 = 2
    spirv_has_int16 = 3
    spirv_has_int64 = 4
    spirv_has_float16 = 5
    spirv_has_float64 = 6
    spirv_has_storage_buffer_8bit_access = 7
    spirv_has_storage_buffer_16bit_access = 8
    spirv_has_atomic_int64 = 9
    spirv_has_atomic_float16 = 10
    spirv_has_atomic_float16_add = 11
    spirv_has_atomic_float16_minmax = 12
    spirv_has_atomic_float = 13
    spirv_has_atomic_float_add = 14
    spirv_has_atomic_float_minmax = 15
    spirv_has_atomic_float64 = 16
    spirv_has_atomic_float64_add = 17
    spirv_has_atomic_float64_minmax = 18
    spirv_has_shared_atomic_float_add = 19
    spirv_has_shared_atomic_float64_add = 20
    spirv_has_shared_atomic_float16_add = 21
    spirv_has_variable_ptr = 22
    spirv_has_physical_storage_buffer = 23
    spirv_has_subgroup_basic = 24
    spirv_has_subgroup_vote = 25
    spirv_has_subgroup_arithmetic = 26
    spirv_has_subgroup_ballot = 27
    spirv_subgroup_size = 28
    spirv_has_non_semantic_info = 29
    spirv_has_no_integer_wrap_decoration = 30
    spirv_has_shader_clock = 31
ERROR: str

class Format(enum.IntEnum):
    unknown = 0
    r8 = 1
    rg8 = 2
    rgba8 = 3
    rgba8srgb = 4
    bgra8 = 5
    bgra8srgb = 6
    r8u = 7
    rg8u = 8
    rgba8u = 9
    r8i = 10
    rg8i = 11
    rgba8i = 12
    r16 = 13
    rg16 = 14
    rgb16 = 15
    rgba16 = 16
    r16u = 17
    rg16u = 18
    rgb16u = 19
    rgba16u = 20
    r16i = 21
    rg16i = 22
    rgb16i = 23
    rgba16i = 24
    r16f = 25
    rg16f = 26
    rgb16f = 27
    rgba16f = 28
    r32u = 29
    rg32u = 30
    rgb32u = 31
    rgba32u = 32
    r32i = 33
    rg32i = 34
    rgb32i = 35
    rgba32i = 36
    r32f = 37
    rg32f = 38
    rgb32f = 39
    rgba32f = 40
    depth16 = 41
    depth24stencil8 = 42
    depth32f = 43
INFO: str

class Layout(enum.IntEnum):
    """Order of the members of compound elements in memory."""
    AOS = 0
    SOA = 1
    NULL = 2

class QuadrantsAssertionError(QuadrantsRuntimeError):
    """An assertion in a kernel, or a bounds check, failed."""

class QuadrantsCompilationError(Exception):
    """A mistake in a kernel, found while it is compiled."""

class QuadrantsNameError(QuadrantsCompilationError):
    """A name in a kernel is not defined."""
    name: Any

class QuadrantsRuntimeError(RuntimeError):
    """A call that cannot be carried out."""

class QuadrantsRuntimeTypeError(QuadrantsRuntimeError):
    """An argument of a call has the wrong type."""

class QuadrantsSyntaxError(QuadrantsCompilationError):
    """A kernel uses Python that the language does not have."""
    end_lineno: Any
    end_offset: Any
    filename: Any
    lineno: Any
    msg: Any
    offset: Any
    print_file_and_line: Any
    text: Any

class QuadrantsTypeError(QuadrantsCompilationError):
    """Types in a kernel do not fit."""
TRACE: str
WARN: str
_MatrixTensor = MatrixTensor
_Tensor = Tensor
_VectorTensor = VectorTensor
__version__: Any
__version_str__: str
from quadrants import _lib as _lib
from quadrants import _tensor as _tensor
_wrap = wrap
from quadrants import ad as ad
from quadrants import algorithms as algorithms
amdgpu: _Arch
arm64: _Arch

def atan2(x1: Any, x2: Any) -> Any:
    """atan2 of numbers, vectors or matrices, elementwise."""

def atomic_add(x: Any, y: Any) -> Any:
    """atomic_add: for kernels and funcs."""

def atomic_and(x: Any, y: Any) -> Any:
    """atomic_and: for kernels and funcs."""

def atomic_cas(x: Any, expected: Any, desired: Any) -> Any:
    """atomic_cas: for kernels and funcs."""

def atomic_exchange(x: Any, y: Any) -> Any:
    """atomic_exchange: for kernels and funcs."""

def atomic_max(x: Any, y: Any) -> Any:
    """atomic_max: for kernels and funcs."""

def atomic_min(x: Any, y: Any) -> Any:
    """atomic_min: for kernels and funcs."""

def atomic_mul(x: Any, y: Any) -> Any:
    """atomic_mul: for kernels and funcs."""

def atomic_or(x: Any, y: Any) -> Any:
    """atomic_or: for kernels and funcs."""

def atomic_sub(x: Any, y: Any) -> Any:
    """atomic_sub: for kernels and funcs."""

def atomic_xor(x: Any, y: Any) -> Any:
    """atomic_xor: for kernels and funcs."""

def bit_shr(x1: Any, x2: Any) -> Any:
    """bit_shr of numbers, vectors or matrices, elementwise."""

def block_local(*args: Any) -> Any:
    """block_local: for kernels and funcs."""

def cache_read_only(*args: Any) -> Any:
    """cache_read_only: for kernels and funcs."""

def clear_all_gradients(gradient_type: Any=...) -> Any:
    """The gradients of all fields become 0; with SNodeGradType.DUAL, their duals."""
cpu: _Arch
cuda: _Arch
from quadrants import experimental as experimental

class extension(enum.IntEnum):
    sparse = 0
    quant = 1
    mesh = 2
    quant_basic = 3
    data64 = 4
    adstack = 5
    bls = 6
    assertion = 7
    extfunc = 8

def frexp(x: Any) -> Any:
    """frexp of numbers, vectors or matrices, elementwise."""

def get_addr(f: Any, indices: Any) -> Any:
    """get_addr: for kernels and funcs."""
gpu: list[Any]
from quadrants.lang import graph as graph
i: list[Any]
ij: list[Any]
ijk: list[Any]
ijkl: list[Any]
ijl: list[Any]
ik: list[Any]
ikl: list[Any]
il: list[Any]
from quadrants import interop as interop

def is_active(node: Any, indices: Any) -> Any:
    """is_active: for kernels and funcs."""
j: list[Any]
jk: list[Any]
jkl: list[Any]
jl: list[Any]
k: list[Any]
kl: list[Any]
l: list[Any]
from quadrants import lang as lang
from quadrants import linalg as linalg
from quadrants import math as math

def max(*args: Any) -> Any:
    """The max of its arguments, elementwise."""

def mesh_local(*args: Any) -> Any:
    """mesh_local: for kernels and funcs."""

def mesh_patch_idx() -> Any:
    """mesh_patch_idx: for kernels and funcs."""
metal: _Arch

def min(*args: Any) -> Any:
    """The min of its arguments, elementwise."""

def no_activate(*args: Any) -> Any:
    """no_activate: for kernels and funcs."""

def outer(a: Any, b: Any) -> Any:
    """The outer product of two vectors, which a tile is changed by: `tile -= qd.outer(a, b)`."""

def pow(base: Any, exponent: Any) -> Any:
    """pow of numbers, vectors or matrices, elementwise."""
from quadrants import profiler as profiler
python: _Arch

def raw_div(x1: Any, x2: Any) -> Any:
    """raw_div of numbers, vectors or matrices, elementwise."""

def raw_mod(x1: Any, x2: Any) -> Any:
    """raw_mod of numbers, vectors or matrices, elementwise."""

def rescale_index(a: Any, b: Any, I: Any) -> Any:
    """rescale_index: for kernels and funcs."""

def select(cond: Any, x1: Any, x2: Any) -> Any:
    """select of numbers, vectors or matrices, elementwise."""
from quadrants import simt as simt
from quadrants import sparse as sparse
from quadrants import tools as tools
from quadrants import types as types
vulkan: _Arch
x64: _Arch
x86_64: _Arch
from quadrants import coverage as coverage
