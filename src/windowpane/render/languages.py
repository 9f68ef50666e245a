"""What the languages of code blocks look like: comments, strings, numbers, words.

Data only. Every pattern reads its token in one go: unclosed strings and comments end with their
line or with the text instead of failing, so the time to read a text grows with its length,
whatever is in it. How tokens become HTML is decided in `code`.
"""

from __future__ import annotations

from msgspec import Struct

# Possessive repeats: what was read is never given back.
_DOUBLE = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
_SINGLE = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
_LONG_DOUBLE = r'(?s:"[^"\\]*+(?:\\.[^"\\]*+)*+"?)'
_DOUBLED_SINGLE = r"'[^']*+(?:''[^']*+)*+'?"
_BACKTICK = r"(?s:`[^`\\]*+(?:\\.[^`\\]*+)*+`?)"
_TRIPLE_DOUBLE = r'(?s:""".*?(?:"""|\Z))'
_TRIPLE_SINGLE = r"(?s:'''.*?(?:'''|\Z))"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,9}?)'"

_SLASHES = r"//[^\n]*+"
_HASH = r"#[^\n]*+"
_LONE_HASH = r"(?<!\S)#[^\n]*+"
_DASHES = r"--[^\n]*+"
_SEMICOLON = r";[^\n]*+"
_PERCENT = r"%[^\n]*+"
_STARRED = r"(?s:/\*.*?(?:\*/|\Z))"

_DECORATOR = r"@[^\W\d][\w.]*+"
_VARIABLE = r"\$(?:\w++|\{[^}\n]*+\}?)"
_DASHED_WORD = r"[^\W\d][\w-]*+"
_KEY_BEFORE_COLON = r"^[ \t-]*+[\w.\"'/-]++(?=:(?:\s|$))"
_KEY_BEFORE_EQUALS = r"^[ \t]*+[\w.\"'-]++(?= *=)"


class Syntax(Struct, frozen=True, kw_only=True):
    """The patterns and the word lists of one language."""

    comments: tuple[str, ...] = ()
    strings: tuple[str, ...] = (_DOUBLE, _SINGLE)
    names: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    added: str | None = None
    removed: str | None = None
    number: str = (
        r"(?<![\w.])(?:0[xXoObB][\da-fA-F_]++|\d[\d_]*+(?:\.\d[\d_]*+)?(?:[eE][+-]?\d++)?)\w*+"
    )
    word: str = r"[^\W\d]\w*+"
    keywords: str = ""
    constants: str = "true false null"
    is_case_blind: bool = False


_C_WORDS = (
    "auto break case const continue default do else enum extern for goto if inline register "
    "return sizeof static struct switch typedef union volatile while "
    "bool char double float int long short signed unsigned void size_t"
)
_CPP_WORDS = _C_WORDS + (
    " alignas catch class co_await co_return co_yield concept consteval constexpr decltype delete "
    "explicit export friend mutable namespace new noexcept operator override private protected "
    "public requires static_assert static_cast dynamic_cast reinterpret_cast template this throw "
    "try typename using virtual"
)
_JAVASCRIPT_WORDS = (
    "as async await break case catch class const continue debugger default delete do else export "
    "extends finally for from function get if import in instanceof let new of return set static "
    "super switch this throw try typeof var void while with yield"
)
_SCRIPT_CONSTANTS = "true false null undefined NaN Infinity"
_SHELL_WORDS = (
    "alias break case cd continue declare do done echo elif else esac eval exec exit export fi for "
    "function if in local printf read readonly return select set shift source then trap unset "
    "until while"
)
_SQL_WORDS = (
    "add all alter analyze and any as asc begin between by cascade case cast check column commit "
    "constraint create cross current database default delete desc distinct drop else end except "
    "exists explain fetch first for foreign from full function grant group having if ilike in "
    "index inner insert intersect into is join key last left like limit materialized natural not "
    "nulls offset on only or order outer over partition primary procedure references rename "
    "replace returning revoke right rollback row rows select set table temporary then to "
    "transaction trigger truncate union unique update using values view when where window with "
    "bigint boolean char date decimal double float int integer interval json jsonb numeric real "
    "serial smallint text time timestamp uuid varchar"
)

_C = Syntax(
    comments=(_SLASHES, _STARRED),
    strings=(_DOUBLE, _CHARACTER),
    meta=(r"^[ \t]*+#[ \t]*+[a-z]++[^\n]*+",),
    keywords=_C_WORDS,
    constants="NULL true false nullptr",
)
_JAVASCRIPT = Syntax(
    comments=(_SLASHES, _STARRED),
    strings=(_DOUBLE, _SINGLE, _BACKTICK),
    names=(_DECORATOR,),
    word=r"[^\W\d$]?[\w$]++",
    keywords=_JAVASCRIPT_WORDS,
    constants=_SCRIPT_CONSTANTS,
)
_SHELL = Syntax(
    comments=(_LONE_HASH,),
    strings=(_LONG_DOUBLE, r"'[^']*+'?"),
    names=(_VARIABLE,),
    meta=(r"^\$ ",),
    word=_DASHED_WORD,
    keywords=_SHELL_WORDS,
)
_MARKUP = Syntax(
    comments=(r"(?s:<!--.*?(?:-->|\Z))",),
    strings=(r'(?<==)"[^"]*+"?', r"(?<==)'[^']*+'?"),
    names=(r"(?<=\s)[\w:@.-]++(?==)",),
    meta=(r"</?[\w:.-]++|/?>|<[!?]\w++",),
    number=r"&#?\w{1,20};",
    word=r"\b\B",
)
_STYLES = Syntax(
    comments=(_STARRED, r"(?<!:)//[^\n]*+"),
    names=(r"(?<![\w-])[\w-]++(?=\s*+:\s)", r"\$[\w-]++", r"--[\w-]++"),
    meta=(r"@[\w-]++",),
    number=r"#[\da-fA-F]{3,8}\b|(?<![\w-])-?(?:\d++(?:\.\d++)?|\.\d++)(?:[a-z]++|%)?",
    word=_DASHED_WORD,
    keywords="important",
)
_SETTINGS = Syntax(
    comments=(_LONE_HASH, r"^[ \t]*+;[^\n]*+"),
    strings=(_TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
    names=(_KEY_BEFORE_EQUALS,),
    meta=(r"^[ \t]*+\[[^\n]*+",),
)
_LISP = Syntax(
    comments=(_SEMICOLON,),
    strings=(_LONG_DOUBLE,),
    names=(r":[\w-]++",),
    word=r"[^\W\d][\w*!?<>=/-]*+",
    keywords=(
        "and case cond def defmacro defn defun defvar do else fn for if lambda let let* letrec "
        "loop ns or progn quote recur require set! setq unless when"
    ),
    constants="nil t true false",
)

_SYNTAXES: dict[str, Syntax] = {
    "asm nasm gas": Syntax(comments=(_SEMICOLON, _LONE_HASH), names=(r"^[\w.]++(?=:)",)),
    "bash sh shell zsh console shell-session shellsession": _SHELL,
    "c h": _C,
    "clojure clj lisp elisp scheme racket": _LISP,
    "cpp c++ cc hpp cuda arduino": Syntax(
        comments=_C.comments,
        strings=_C.strings,
        meta=_C.meta,
        keywords=_CPP_WORDS,
        constants=_C.constants,
    ),
    "csharp c# cs": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_DOUBLE, _CHARACTER),
        meta=(r"^[ \t]*+#[a-z]++[^\n]*+",),
        keywords=(
            "abstract as async await base bool break byte case catch char class const continue "
            "decimal default delegate do double else enum event explicit finally fixed float for "
            "foreach get if implicit in init int interface internal is lock long namespace new "
            "object operator out override params partial private protected public readonly record "
            "ref return sealed set short sizeof static string struct switch this throw try typeof "
            "uint ulong using var virtual void when where while yield"
        ),
    ),
    "css scss sass less": _STYLES,
    "dart": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
        names=(_DECORATOR,),
        keywords=(
            _JAVASCRIPT_WORDS + " abstract bool double dynamic enum factory final implements int "
            "late library mixin num operator part required String typedef"
        ),
    ),
    "diff patch udiff": Syntax(
        strings=(),
        meta=(r"^(?:@@|diff |index |---|\+\+\+)[^\n]*+",),
        added=r"^\+[^\n]*+",
        removed=r"^-[^\n]*+",
        number=r"\b\B",
        word=r"\b\B",
    ),
    "dockerfile docker containerfile": Syntax(
        comments=(_LONE_HASH,),
        names=(_VARIABLE,),
        keywords=(
            "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL "
            "STOPSIGNAL USER VOLUME WORKDIR"
        ),
    ),
    "elixir ex exs": Syntax(
        comments=(_HASH,),
        strings=(_TRIPLE_DOUBLE, _LONG_DOUBLE),
        names=(r"@\w++|(?<![:\w]):\w++",),
        keywords=(
            "after alias and case catch cond def defmacro defmodule defp defstruct do else end fn "
            "for if import in not or quote raise receive require rescue try unless use when with"
        ),
        constants="nil true false",
    ),
    "erlang erl": Syntax(
        comments=(_PERCENT,),
        keywords="after begin case catch end fun if of receive try when",
        constants="true false undefined ok error",
    ),
    "fortran f90": Syntax(
        comments=(r"![^\n]*+",),
        keywords=(
            "allocate call character contains deallocate do else elseif end enddo endif function "
            "if implicit integer logical module none parameter print program real return "
            "subroutine then use while write"
        ),
        is_case_blind=True,
    ),
    "go golang": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_DOUBLE, r"`[^`]*+`?", _CHARACTER),
        keywords=(
            "break case chan const continue default defer else fallthrough for func go goto if "
            "import interface map package range return select struct switch type var any bool "
            "byte complex128 error float32 float64 int int8 int16 int32 int64 rune string uint "
            "uint8 uint16 uint32 uint64 uintptr"
        ),
        constants="true false nil iota",
    ),
    "graphql gql": Syntax(
        comments=(_HASH,),
        strings=(_TRIPLE_DOUBLE, _DOUBLE),
        names=(_VARIABLE, _DECORATOR),
        keywords=(
            "directive enum extend fragment implements input interface mutation on query scalar "
            "schema subscription type union"
        ),
    ),
    "haskell hs elm purescript": Syntax(
        comments=(_DASHES, r"(?s:\{-.*?(?:-\}|\Z))"),
        strings=(_DOUBLE, _CHARACTER),
        keywords=(
            "case class data deriving do else forall foreign if import in infix infixl infixr "
            "instance let module newtype of qualified then type where"
        ),
        constants="True False",
        word=r"[^\W\d][\w']*+",
    ),
    "html xhtml xml svg rss vue svelte jinja django handlebars": _MARKUP,
    "ini toml cfg conf properties dotenv env editorconfig": _SETTINGS,
    "java groovy gradle": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_TRIPLE_DOUBLE, _DOUBLE, _SINGLE),
        names=(_DECORATOR,),
        keywords=(
            "abstract assert boolean break byte case catch char class const continue def default "
            "do double else enum extends final finally float for if implements import instanceof "
            "int interface long native new package permits private protected public record return "
            "sealed short static super switch synchronized this throw throws transient try var "
            "void volatile while yield"
        ),
    ),
    "javascript js jsx mjs cjs node": _JAVASCRIPT,
    "json json5 jsonc jsonl ndjson webmanifest": Syntax(
        comments=(_SLASHES, _STARRED),
        names=(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"(?=\s*+:)',),
    ),
    "julia jl": Syntax(
        comments=(r"(?s:#=.*?(?:=#|\Z))", _HASH),
        strings=(_TRIPLE_DOUBLE, _DOUBLE, _CHARACTER),
        names=(r"@\w++",),
        keywords=(
            "abstract begin break catch const continue do else elseif end export finally for "
            "function global if import in let local macro module mutable quote return struct try "
            "type using where while"
        ),
        constants="true false nothing missing",
    ),
    "kotlin kt kts": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_TRIPLE_DOUBLE, _DOUBLE, _CHARACTER),
        names=(_DECORATOR,),
        keywords=(
            "as break by catch class companion constructor continue data do else enum expect "
            "finally for fun if import in infix init inline interface internal is lateinit object "
            "open operator out override package private protected public return sealed super "
            "suspend this throw try typealias val var vararg when where while"
        ),
    ),
    "latex tex bibtex": Syntax(
        comments=(r"(?<!\\)%[^\n]*+",),
        strings=(r"\$[^$\n]*+\$?",),
        names=(r"(?<=\{)[A-Za-z*]++(?=\})",),
        meta=(r"\\(?:[A-Za-z@]++\*?|.)",),
        word=r"\b\B",
    ),
    "lua": Syntax(
        comments=(r"(?s:--\[\[.*?(?:\]\]|\Z))", _DASHES),
        strings=(r"(?s:\[\[.*?(?:\]\]|\Z))", _DOUBLE, _SINGLE),
        keywords=(
            "and break do else elseif end for function goto if in local not or repeat return then "
            "until while"
        ),
        constants="true false nil",
    ),
    "makefile make cmake": Syntax(
        comments=(_LONE_HASH,),
        strings=(_DOUBLE,),
        names=(r"\$[({][^)}\n]*+[)}]?|\$[@<^*%?]", r"^[\w.%/-]++(?=:)"),
        word=_DASHED_WORD,
        keywords="define else endef endif export ifdef ifeq ifndef ifneq include override",
    ),
    "markdown md mdx": Syntax(
        strings=(r"`[^`\n]*+`?",),
        names=(r"^[ \t]*+(?:[-*+]|\d++\.)(?= )",),
        meta=(r"^#{1,6} [^\n]*+|^```[^\n]*+",),
        number=r"\b\B",
        word=r"\b\B",
    ),
    "matlab octave": Syntax(
        comments=(_PERCENT,),
        strings=(_DOUBLE,),
        keywords=(
            "break case catch classdef continue else elseif end for function global if otherwise "
            "parfor persistent return switch try while"
        ),
    ),
    "nginx": Syntax(
        comments=(_HASH,), names=(_VARIABLE,), keywords="http location server upstream"
    ),
    "nix": Syntax(
        comments=(_HASH, _STARRED),
        strings=(r"(?s:''.*?(?:''|\Z))", _LONG_DOUBLE),
        word=_DASHED_WORD,
        keywords="assert else if import in inherit let or rec then with",
    ),
    "objective-c objc objectivec": Syntax(
        comments=_C.comments,
        strings=(r"@?" + _DOUBLE, _CHARACTER),
        names=(r"@\w++",),
        meta=_C.meta,
        keywords=_C_WORDS + " id self super instancetype",
        constants="YES NO nil NULL",
    ),
    "ocaml ml fsharp f# fs": Syntax(
        comments=(r"(?s:\(\*.*?(?:\*\)|\Z))", _SLASHES),
        strings=(_TRIPLE_DOUBLE, _LONG_DOUBLE, _CHARACTER),
        keywords=(
            "and as begin class do done downto else end exception external for fun function "
            "functor if in include inherit let match member method module mutable namespace new "
            "object of open private rec sig struct then to try type use val virtual when while "
            "with yield"
        ),
        constants="true false null None",
    ),
    "perl pl": Syntax(
        comments=(_LONE_HASH,),
        names=(r"[$@%]\w++",),
        keywords=(
            "die do else elsif eval for foreach if last local my next no our package print redo "
            "require return sub unless until use while"
        ),
        constants="undef",
    ),
    "php": Syntax(
        comments=(_SLASHES, r"#(?!\[)[^\n]*+", _STARRED),
        strings=(_LONG_DOUBLE, r"(?s:'[^'\\]*+(?:\\.[^'\\]*+)*+'?)"),
        names=(r"\$\w++",),
        meta=(r"<\?php|<\?=|\?>",),
        keywords=(
            "abstract as break case catch class clone const continue declare default do echo else "
            "elseif enum extends final finally fn for foreach function global if implements "
            "include instanceof interface match namespace new private protected public readonly "
            "require require_once return static switch this throw trait try use var while yield "
            "array bool float int mixed string void"
        ),
    ),
    "powershell ps1 pwsh": Syntax(
        comments=(r"(?s:<#.*?(?:#>|\Z))", _LONE_HASH),
        strings=(r'(?s:"[^"`]*+(?:`.[^"`]*+)*+"?)', _DOUBLED_SINGLE),
        names=(r"\$[\w:]++", r"(?<=\s)-[A-Za-z]++"),
        word=_DASHED_WORD,
        keywords=(
            "begin break catch continue do else elseif end exit filter finally for foreach "
            "function if in param process return switch throw trap try until while"
        ),
        is_case_blind=True,
    ),
    "protobuf proto": Syntax(
        comments=(_SLASHES, _STARRED),
        keywords=(
            "bool bytes double enum extend fixed32 fixed64 float import int32 int64 map message "
            "oneof option optional package public repeated reserved returns rpc service stream "
            "string syntax uint32 uint64"
        ),
    ),
    "python py python3 py3 pycon ipython": Syntax(
        comments=(_HASH,),
        strings=tuple(
            rf"(?<!\w)[rRbBuUfF]{{0,2}}{quoted}"
            for quoted in (_TRIPLE_DOUBLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)
        ),
        names=(r"^[ \t]*+@[^\W\d][\w.]*+",),
        meta=(r"^(?:>>>|\.\.\.) ",),
        keywords=(
            "and as assert async await break case class continue def del elif else except finally "
            "for from global if import in is lambda match nonlocal not or pass raise return try "
            "type while with yield"
        ),
        constants="True False None self cls",
    ),
    "r rscript": Syntax(
        comments=(_HASH,),
        keywords="break else for function if in library next repeat return while",
        constants="TRUE FALSE NULL NA Inf NaN",
        word=r"[^\W\d][\w.]*+",
    ),
    "ruby rb": Syntax(
        comments=(_HASH,),
        strings=(_LONG_DOUBLE, _SINGLE),
        names=(r"@{1,2}\w++|(?<![:\w]):\w++",),
        keywords=(
            "alias and begin break case class def do else elsif end ensure extend for if in "
            "include module next not or private protected public raise redo require rescue retry "
            "return super then undef unless until when while yield"
        ),
        constants="true false nil self",
    ),
    "rust rs": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_LONG_DOUBLE, _CHARACTER),
        names=(r"'[a-z_]\w*+",),
        meta=(r"#!?\[[^\]\n]*+\]?",),
        keywords=(
            "as async await box break const continue crate dyn else enum extern fn for if impl in "
            "let loop match mod move mut pub ref return static struct super trait type union "
            "unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 "
            "u64 u128 usize"
        ),
        constants="true false self Self None Some Ok Err",
    ),
    "scala": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_TRIPLE_DOUBLE, _DOUBLE, _CHARACTER),
        names=(_DECORATOR,),
        keywords=(
            "abstract case catch class def do else enum extends final finally for given if "
            "implicit import lazy match new object override package private protected return "
            "sealed super then this throw trait try type using val var while with yield"
        ),
    ),
    "solidity sol": Syntax(
        comments=(_SLASHES, _STARRED),
        keywords=(
            _JAVASCRIPT_WORDS + " address bool bytes calldata constructor contract emit event "
            "external internal mapping memory modifier payable pragma private public pure require "
            "returns storage string struct uint uint256 view"
        ),
    ),
    "sql postgresql postgres mysql sqlite plsql tsql psql": Syntax(
        comments=(_DASHES, _STARRED),
        strings=(_DOUBLED_SINGLE, _DOUBLE),
        keywords=_SQL_WORDS,
        is_case_blind=True,
    ),
    "swift": Syntax(
        comments=(_SLASHES, _STARRED),
        strings=(_TRIPLE_DOUBLE, _DOUBLE),
        names=(_DECORATOR,),
        keywords=(
            "actor any as associatedtype async await break case catch class continue default defer "
            "deinit do else enum extension fallthrough fileprivate final for func guard if import "
            "in init inout internal is lazy let mutating open override private protocol public "
            "repeat return some static struct subscript super switch throw throws try typealias "
            "var weak where while"
        ),
        constants="true false nil self Self",
    ),
    "terraform hcl tf": Syntax(
        comments=(_HASH, _SLASHES, _STARRED),
        strings=(_DOUBLE,),
        names=(_KEY_BEFORE_EQUALS,),
        keywords="data for if in locals module output provider resource terraform variable",
    ),
    "typescript ts tsx mts cts": Syntax(
        comments=_JAVASCRIPT.comments,
        strings=_JAVASCRIPT.strings,
        names=_JAVASCRIPT.names,
        word=_JAVASCRIPT.word,
        keywords=(
            _JAVASCRIPT_WORDS + " abstract any asserts bigint boolean declare enum implements "
            "infer interface is keyof module namespace never number object override private "
            "protected public readonly satisfies string symbol type unique unknown"
        ),
        constants=_SCRIPT_CONSTANTS,
    ),
    "vim viml": Syntax(
        comments=(r'^[ \t]*+"[^\n]*+',),
        strings=(_SINGLE, _DOUBLE),
        names=(r"\b[gsbwlav]:\w++",),
        keywords=(
            "augroup autocmd call command echo else elseif endfor endfunction endif endwhile "
            "execute for function if let map nmap nnoremap noremap return set syntax while"
        ),
    ),
    "yaml yml": Syntax(
        comments=(_LONE_HASH,),
        strings=(_DOUBLE, _DOUBLED_SINGLE),
        names=(_KEY_BEFORE_COLON, r"(?<!\S)[&*!]\S++"),
        meta=(r"^---|^\.\.\.",),
        word=_DASHED_WORD,
        constants="true false null yes no on off",
    ),
    "zig": Syntax(
        comments=(_SLASHES,),
        strings=(_DOUBLE, _CHARACTER),
        names=(r"@\w++",),
        keywords=(
            "and break catch comptime const continue defer else enum errdefer error export extern "
            "fn for if inline or orelse pub return struct switch test try union unreachable "
            "usingnamespace var while bool f32 f64 i32 i64 u8 u32 u64 usize void"
        ),
        constants="true false null undefined",
    ),
}

SYNTAXES = {name: syntax for names, syntax in _SYNTAXES.items() for name in names.split()}
