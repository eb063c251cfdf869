//! Builds a module in MLIR's memory.

use super::{Emitter, Location, Operation, Region, Value, Values};
use crate::{
    attribute::{Attribute, Number},
    types::{Type, element_name},
};
use hashbrown::HashMap;
use hloom_graph::DType;
use melior::{
    Context,
    ir::{
        self, Block, BlockLike, BlockRef, Identifier, RegionLike,
        attribute::{
            ArrayAttribute, BoolAttribute, DenseElementsAttribute, DenseI64ArrayAttribute,
            DictionaryAttribute, FloatAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
        },
        operation::{OperationBuilder, OperationLike},
        r#type::{FunctionType, IntegerType, RankedTensorType},
    },
};
use smallvec::SmallVec;
use std::{panic, ptr};

/// A module being built in a context.
pub(crate) struct MlirEmitter<'a> {
    context: &'a Context,
    /// The element types so far: a program has few.
    elements: Vec<(DType, ir::Type<'a>)>,
    /// The tensor types so far.
    types: HashMap<Type, ir::Type<'a>>,
    /// The names of attributes, by the address of their text.
    names: HashMap<(*const u8, usize), Identifier<'a>>,
    /// Cache of parsed attributes, since parsing is slow.
    parsed: HashMap<String, ir::Attribute<'a>>,
    values: Vec<ir::Value<'a, 'a>>,
    open: Vec<(ir::Region<'a>, BlockRef<'a, 'a>)>,
    ended: Vec<Option<ir::Region<'a>>>,
    /// The last line: ops of one line are adjacent.
    line: Option<(&'static panic::Location<'static>, ir::Location<'a>)>,
}

impl<'a> MlirEmitter<'a> {
    pub fn new(context: &'a Context) -> MlirEmitter<'a> {
        MlirEmitter {
            context,
            elements: Vec::new(),
            types: HashMap::new(),
            names: HashMap::new(),
            parsed: HashMap::new(),
            values: Vec::new(),
            open: Vec::new(),
            ended: Vec::new(),
            line: None,
        }
    }

    /// The module with these attributes around its body.
    pub fn finish(
        mut self,
        attributes: &[(&'static str, Attribute<'_>)],
        body: Region,
    ) -> ir::Module<'a> {
        let module = OperationBuilder::new("builtin.module", ir::Location::unknown(self.context))
            .add_attributes(&self.named(attributes))
            .add_regions([self.take(body)])
            .build();
        let module = module.expect("an op without results is built");
        ir::Module::from_operation(module).expect("the op is a module")
    }

    fn take(&mut self, region: Region) -> ir::Region<'a> {
        self.ended[region.index()].take().expect("a region has one op")
    }

    fn value(&self, value: Value) -> ir::Value<'a, 'a> {
        self.values[value.index()]
    }

    fn r#type(&mut self, r#type: &Type) -> ir::Type<'a> {
        if let Some(&known) = self.types.get(r#type) {
            return known;
        }
        let sizes: SmallVec<[u64; 8]> = r#type.sizes().iter().map(|&size| size as u64).collect();
        let tensor = RankedTensorType::new(&sizes, self.element(r#type.dtype()), None).into();
        self.types.insert(*r#type, tensor);
        tensor
    }

    fn name(&mut self, name: &'static str) -> Identifier<'a> {
        let context = self.context;
        let place = (name.as_ptr(), name.len());
        *self.names.entry(place).or_insert_with(|| Identifier::new(context, name))
    }

    fn location(&mut self, location: Location<'_>) -> ir::Location<'a> {
        let line = match (location.line, self.line) {
            (None, _) => ir::Location::unknown(self.context),
            (Some(line), Some((last, found))) if ptr::eq(line, last) => found,
            (Some(line), _) => {
                let (row, column) = (line.line() as usize, line.column() as usize);
                let found = ir::Location::new(self.context, line.file(), row, column);
                self.line = Some((line, found));
                found
            }
        };
        match location.name {
            "" => line,
            name => ir::Location::name(self.context, name, line),
        }
    }

    fn named(&mut self, attributes: &[(&'static str, Attribute<'_>)]) -> Named<'a> {
        let named = attributes.iter();
        named.map(|(name, attribute)| (self.name(name), self.attribute(attribute))).collect()
    }

    fn attribute(&mut self, attribute: &Attribute<'_>) -> ir::Attribute<'a> {
        let context = self.context;
        match attribute {
            Attribute::Unit => ir::Attribute::unit(context),
            Attribute::Bool(value) => BoolAttribute::new(context, *value).into(),
            Attribute::I32(value) => {
                IntegerAttribute::new(self.element(DType::I32), (*value).into()).into()
            }
            Attribute::I64(value) => IntegerAttribute::new(self.element(DType::I64), *value).into(),
            Attribute::String(text) => StringAttribute::new(context, text).into(),
            Attribute::I64s(values) => DenseI64ArrayAttribute::new(context, values).into(),
            Attribute::Number(r#type, number) => self.number(r#type, *number),
            Attribute::Elements(r#type, bytes) => self.dense(r#type, bytes),
            Attribute::Array(attributes) => {
                let all: Vec<_> =
                    attributes.iter().map(|attribute| self.attribute(attribute)).collect();
                ArrayAttribute::new(context, &all).into()
            }
            Attribute::Dictionary(attributes) => {
                let all: Vec<_> = attributes
                    .iter()
                    .map(|(name, attribute)| {
                        (Identifier::new(context, name), self.attribute(attribute))
                    })
                    .collect();
                DictionaryAttribute::new(context, &all).into()
            }
            Attribute::Function { inputs, results } => {
                let [inputs, results] = [inputs, results]
                    .map(|types| types.iter().map(|t| self.r#type(t)).collect::<Vec<_>>());
                TypeAttribute::new(FunctionType::new(context, &inputs, &results).into()).into()
            }
            Attribute::Text(text) => self.parsed(text),
        }
    }

    fn element(&mut self, dtype: DType) -> ir::Type<'a> {
        if let Some(&(_, known)) = self.elements.iter().find(|(known, _)| *known == dtype) {
            return known;
        }
        let made = element(self.context, dtype);
        self.elements.push((dtype, made));
        made
    }

    fn parsed(&mut self, text: &str) -> ir::Attribute<'a> {
        if let Some(&attribute) = self.parsed.get(text) {
            return attribute;
        }
        let attribute =
            ir::Attribute::parse(self.context, text).expect("the text is written in this crate");
        self.parsed.insert(text.into(), attribute);
        attribute
    }

    fn dense(&mut self, r#type: &Type, bytes: &[u8]) -> ir::Attribute<'a> {
        let (tensor, dtype) = (self.r#type(r#type), r#type.dtype());
        if dtype == DType::Bool {
            let values: Vec<i32> = bytes.iter().map(|&byte| (byte != 0).into()).collect();
            return match values[..] {
                [value] => DenseElementsAttribute::bool_splat(tensor, value != 0).into(),
                _ => DenseElementsAttribute::bool_values(tensor, &values).into(),
            };
        }
        if dtype.bits() < 8 {
            // In MLIR the bits above a sub-byte element are 0; on the host a negative number has
            // them set.
            let mask = u8::MAX >> (8 - dtype.bits());
            let bytes: Vec<u8> = bytes.iter().map(|byte| byte & mask).collect();
            return DenseElementsAttribute::raw_buffer(tensor, &bytes).into();
        }
        DenseElementsAttribute::raw_buffer(tensor, bytes).into()
    }

    fn number(&mut self, r#type: &Type, number: Number) -> ir::Attribute<'a> {
        let (tensor, dtype) = (self.r#type(r#type), r#type.dtype());
        let (int, float) = match number {
            Number::Int(value) => (value, value as f64),
            Number::Float(value) => (value as i64, value),
        };
        let complex = |real: &[u8]| {
            let mut bytes = [0; 16];
            bytes[..real.len()].copy_from_slice(real);
            DenseElementsAttribute::raw_buffer(tensor, &bytes[..dtype.size()]).into()
        };
        let value = match dtype {
            DType::C64 => return complex(&(float as f32).to_ne_bytes()),
            DType::C128 => return complex(&float.to_ne_bytes()),
            dtype if dtype.is_float() => {
                FloatAttribute::new(self.context, self.element(dtype), float).into()
            }
            _ => IntegerAttribute::new(self.element(dtype), int).into(),
        };
        DenseElementsAttribute::splat(tensor, value).into()
    }
}

type Named<'a> = SmallVec<[(Identifier<'a>, ir::Attribute<'a>); 8]>;

impl Emitter for MlirEmitter<'_> {
    fn operation(&mut self, operation: Operation<'_, '_>) -> Values {
        let operands: SmallVec<[_; 8]> =
            operation.operands.iter().map(|&value| self.value(value)).collect();
        let results: SmallVec<[_; 4]> =
            operation.results.iter().map(|result| self.r#type(result)).collect();
        let regions = operation.regions.into_iter().map(|region| self.take(region)).collect();
        let built = OperationBuilder::new(operation.name, self.location(operation.location))
            .add_operands(&operands)
            .add_results(&results)
            .add_attributes(&self.named(operation.attributes))
            .add_regions_vec(regions)
            .build();
        let built = built.expect("an op whose result types are given is built");
        let (_, block) = self.open.last().expect("ops stand in regions");
        let values = Values::after(self.values.len(), results.len());
        self.values.extend(block.append_operation(built).results().map(ir::Value::from));
        values
    }

    fn begin_region(&mut self, arguments: &[(Type, Location<'_>)]) -> Values {
        let parameters: SmallVec<[_; 4]> = arguments
            .iter()
            .map(|(r#type, location)| (self.r#type(r#type), self.location(*location)))
            .collect();
        let region = ir::Region::new();
        let block = region.append_block(Block::new(&parameters));
        let values = Values::after(self.values.len(), arguments.len());
        let argument =
            |position| block.argument(position).expect("the block was made with its arguments");
        self.values
            .extend((0..arguments.len()).map(|position| ir::Value::from(argument(position))));
        self.open.push((region, block));
        values
    }

    fn end_region(&mut self) -> Region {
        let (region, _) = self.open.pop().expect("a region that is ended was opened");
        let ended = Region::after(self.ended.len());
        self.ended.push(Some(region));
        ended
    }
}

fn element(context: &Context, dtype: DType) -> ir::Type<'_> {
    match dtype {
        DType::Bool => IntegerType::new(context, 1).into(),
        dtype if dtype.is_signed_int() => IntegerType::new(context, dtype.bits() as u32).into(),
        dtype if dtype.is_unsigned_int() => {
            IntegerType::unsigned(context, dtype.bits() as u32).into()
        }
        DType::BF16 => ir::Type::bfloat16(context),
        DType::F16 => ir::Type::float16(context),
        DType::F32 => ir::Type::float32(context),
        DType::F64 => ir::Type::float64(context),
        dtype => ir::Type::parse(context, element_name(dtype)).expect("a builtin type parses"),
    }
}
